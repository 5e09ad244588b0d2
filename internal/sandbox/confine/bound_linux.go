package confine

import (
	"bytes"
	"os"
	"strconv"
	"time"
)

// Bound looks until stop is closed whether there are more than most of some processes,
// which count counts, and then calls end, once. Counting costs much, so it happens at
// once only when the tasks of the whole system have grown by as many, else now and then.
//
// The kernel bounds the processes of a user and of a namespace, but not those of root in
// the namespace of all, nor in one of its own before Linux 6.14.
func Bound(most int, count func() int, end func(), stop <-chan struct{}) {
	const (
		often = 100 * time.Millisecond
		rare  = 20 // times as long
	)
	tick := time.NewTicker(often)
	defer tick.Stop()
	began := tasks()
	for turn := 1; ; turn++ {
		select {
		case <-stop:
			return
		case <-tick.C:
		}
		if (tasks()-began > most || turn%rare == 0) && count() > most {
			end()
			return
		}
	}
}

// tasks is the number of tasks in the system, 0 when it is not known.
func tasks() int {
	load, _ := os.ReadFile("/proc/loadavg") // 0.20 0.18 0.12 RUNNING/TASKS LAST
	_, after, _ := bytes.Cut(load, []byte("/"))
	number, _, _ := bytes.Cut(after, []byte(" "))
	n, _ := strconv.Atoi(string(number))
	return n
}

package confine

import (
	"os"
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
	for i, c := range load {
		if c == '/' {
			n, _ := leading(string(load[i+1:]))
			return n
		}
	}
	return 0
}

// Processes are the IDs of all there are.
func Processes() []int {
	proc, err := os.Open("/proc")
	if err != nil {
		return nil
	}
	defer proc.Close()
	names, _ := proc.Readdirnames(-1)
	var ids []int
	for _, name := range names {
		if id, digits := leading(name); digits == len(name) && digits > 0 {
			ids = append(ids, id)
		}
	}
	return ids
}

// leading reads the number that text begins with, and says how many digits it has.
func leading(text string) (n, digits int) {
	for digits < len(text) && text[digits] >= '0' && text[digits] <= '9' {
		n = n*10 + int(text[digits]-'0')
		digits++
	}
	return n, digits
}

// decimal writes a number.
func decimal(n int) string {
	if n < 10 {
		return string(rune('0' + n))
	}
	return decimal(n/10) + decimal(n%10)
}

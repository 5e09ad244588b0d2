package launcher

import (
	"os"
	"time"
)

// LimitProcesses calls end once if there are more than most processes, as counted by count. It
// returns then, or when stop is closed. A call of count is expensive. LimitProcesses calls it soon
// only if the number of tasks in the whole system has grown by more than most, otherwise at long
// intervals.
//
// The kernel can limit the processes of a user and of a namespace. It cannot limit root's processes
// outside of a namespace. Before Linux 6.14 it cannot limit them inside one either.
func LimitProcesses(most int, count func() int, end func(), stop <-chan struct{}) {
	const (
		often = 100 * time.Millisecond
		rare  = 20 // rare is in units of often
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

// tasks returns the number of tasks in the system, or 0 if it is unknown.
func tasks() int {
	load, _ := os.ReadFile("/proc/loadavg") // 0.20 0.18 0.12 RUNNING/TASKS LAST
	for i, c := range load {
		if c == '/' {
			n, _ := leadingNumber(string(load[i+1:]))
			return n
		}
	}
	return 0
}

// Processes returns the IDs of all processes.
func Processes() []int {
	proc, err := os.Open("/proc")
	if err != nil {
		return nil
	}
	defer proc.Close()
	names, _ := proc.Readdirnames(-1)
	var ids []int
	for _, name := range names {
		if id, digits := leadingNumber(name); digits == len(name) && digits > 0 {
			ids = append(ids, id)
		}
	}
	return ids
}

// leadingNumber returns the number at the beginning of text and the number of its digits.
func leadingNumber(text string) (n, digits int) {
	for digits < len(text) && text[digits] >= '0' && text[digits] <= '9' {
		n = n*10 + int(text[digits]-'0')
		digits++
	}
	return n, digits
}

// decimal formats a number. Package strconv would be an additional import, see init.
func decimal(n int) string {
	if n < 10 {
		return string(rune('0' + n))
	}
	return decimal(n/10) + decimal(n%10)
}

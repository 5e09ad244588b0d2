package lsp

import (
	"bytes"
	"os"
	"strconv"
)

// memory returns a function that returns the resident memory, in bytes, of a process and of all
// processes that it started.
func memory() func(pid int) int64 {
	children, sizes := map[int][]int{}, map[int]int64{}
	entries, _ := os.ReadDir("/proc") // without entries, sizes are 0
	for _, entry := range entries {
		pid, err := strconv.Atoi(entry.Name())
		if err != nil {
			continue
		}
		stat, _ := os.ReadFile("/proc/" + entry.Name() + "/stat")
		// The program name is in parentheses and may contain any character. The fields after it
		// begin with the state and the parent. The resident pages follow 20 fields after the
		// parent.
		fields := bytes.Fields(stat[bytes.LastIndexByte(stat, ')')+1:])
		const parentField, pagesField = 1, 21
		if len(fields) <= pagesField {
			continue
		}
		parent, _ := strconv.Atoi(string(fields[parentField]))
		pages, _ := strconv.ParseInt(string(fields[pagesField]), 10, 64)
		children[parent] = append(children[parent], pid)
		sizes[pid] = pages * int64(os.Getpagesize())
	}
	var sum func(pid int) int64
	sum = func(pid int) int64 {
		total := sizes[pid]
		for _, child := range children[pid] {
			total += sum(child)
		}
		return total
	}
	return sum
}

package lsp

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// memory returns the resident memory, in bytes, of a process and of all processes that it started.
// It returns 0 on systems without /proc.
func memory(pid int) (sum int64) {
	dir := fmt.Sprintf("/proc/%d", pid)
	statm, _ := os.ReadFile(dir + "/statm") // without the file, the size is 0
	if fields := strings.Fields(string(statm)); len(fields) > 1 {
		pages, _ := strconv.ParseInt(fields[1], 10, 64)
		sum = pages * int64(os.Getpagesize())
	}
	threads, _ := filepath.Glob(dir + "/task/*/children")
	for _, thread := range threads {
		children, _ := os.ReadFile(thread)
		for _, child := range strings.Fields(string(children)) {
			if id, err := strconv.Atoi(child); err == nil {
				sum += memory(id)
			}
		}
	}
	return sum
}

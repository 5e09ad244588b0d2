package tui

import (
	"strconv"
	"time"
)

// plural is "1 line", "3 lines"; many is for words that do not just take an s.
func plural(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	if many == "" {
		many = one + "s"
	}
	return strconv.Itoa(n) + " " + many
}

// seconds is a delay with a tenth when it is short.
func seconds(d time.Duration) string {
	if d < 10*time.Second {
		return strconv.FormatFloat(d.Seconds(), 'f', 1, 64) + "s"
	}
	return elapsed(d)
}

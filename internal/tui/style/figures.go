package style

import (
	"strconv"
	"strings"
	"time"
)

// Plural is "1 line", "3 lines"; many is for words that do not just take an s.
func Plural(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	if many == "" {
		many = one + "s"
	}
	return strconv.Itoa(n) + " " + many
}

// Seconds is a delay with a tenth when it is short.
func Seconds(d time.Duration) string {
	if d < 10*time.Second {
		return strconv.FormatFloat(d.Seconds(), 'f', 1, 64) + "s"
	}
	return Elapsed(d)
}

// Elapsed is a duration as people read it: 7s, 1m05s.
func Elapsed(d time.Duration) string {
	d = max(0, d).Truncate(time.Second)
	if d < time.Minute {
		return d.String()
	}
	return strings.Replace(d.String(), "m0s", "m00s", 1)
}

// Join puts a comma between two texts, when there are two.
func Join(a, b string) string {
	if a == "" {
		return b
	}
	return a + ", " + b
}

package humanize

import (
	"fmt"
	"strconv"
	"strings"
	"time"
)

// Bytes formats a size: "1 byte", "512 bytes", "1.5 KiB", "2.0 GiB".
func Bytes(n int64) string {
	const unit = 1024
	if n < unit {
		return Count(int(n), "byte")
	}
	value, units := float64(n)/unit, "KMGTPE"
	// A value that would round to 1024.0 becomes 1.0 of the next unit.
	for value >= unit-0.05 && len(units) > 1 {
		value, units = value/unit, units[1:]
	}
	return fmt.Sprintf("%.1f %ciB", value, units[0])
}

// Dollars formats an amount of USD in cents, and a small amount with two significant digits:
// $12.30, $0.42, $0.05, $0.036, $0.0042, <$0.0001.
func Dollars(amount float64) string {
	const least = 0.0001
	if amount > 0 && amount < least {
		return "<$0.0001"
	}
	decimals := 2
	for small := 0.0995; amount > 0 && amount < small && decimals < 4; small /= 10 {
		decimals++
	}
	text := strconv.FormatFloat(amount, 'f', decimals, 64)
	for decimals > 2 && strings.HasSuffix(text, "0") {
		text, decimals = text[:len(text)-1], decimals-1
	}
	return "$" + text
}

// Tokens formats a number of tokens in at most five characters: 950, 12.3k, 128k, 1.2M.
func Tokens(n int) string {
	short := func(x float64) string { return strings.TrimSuffix(strconv.FormatFloat(x, 'f', 1, 64), ".0") }
	switch {
	case n >= 999_500:
		return short(float64(n)/1e6) + "M"
	case n >= 99_950:
		return strconv.Itoa((n+500)/1000) + "k"
	case n >= 1000:
		return short(float64(n)/1e3) + "k"
	default:
		return strconv.Itoa(n)
	}
}

// Duration formats the duration of a finished action with decreasing precision: 350ms, 1.2s, 2m05s,
// 1h02m00s.
func Duration(d time.Duration) string {
	switch d = max(0, d); {
	case d < time.Second-time.Millisecond/2:
		return d.Round(time.Millisecond).String()
	case d < time.Minute-50*time.Millisecond:
		return d.Round(100 * time.Millisecond).String()
	default:
		return clock(d.Round(time.Second))
	}
}

// Elapsed formats the duration of a running action in whole seconds: 0s, 7s, 1m05s.
func Elapsed(d time.Duration) string { return clock(max(0, d).Truncate(time.Second)) }

// clock formats whole seconds. Minutes and seconds after a larger unit have two digits.
func clock(d time.Duration) string {
	hours, minutes, seconds := int(d.Hours()), int(d.Minutes())%60, int(d.Seconds())%60
	switch {
	case hours > 0:
		return fmt.Sprintf("%dh%02dm%02ds", hours, minutes, seconds)
	case minutes > 0:
		return fmt.Sprintf("%dm%02ds", minutes, seconds)
	}
	return strconv.Itoa(seconds) + "s"
}

// Count formats a number with its noun: "1 line", "3 lines", "2 entries", "4 matches". The plural
// is formed from the last word of noun.
func Count(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return strconv.Itoa(n) + " " + Plural(noun)
}

// Plural returns the plural of a noun, formed from its last word.
func Plural(noun string) string {
	if stem, found := strings.CutSuffix(noun, "y"); found && stem != "" && !strings.ContainsRune("aeiou", rune(stem[len(stem)-1])) {
		return stem + "ies"
	}
	for _, ending := range []string{"s", "x", "ch", "sh"} {
		if strings.HasSuffix(noun, ending) {
			return noun + "es"
		}
	}
	return noun + "s"
}

// LineCount counts the lines of text. A line break at the end does not begin another line, and an
// empty text has no lines.
func LineCount(text string) int {
	n := strings.Count(text, "\n")
	if text != "" && !strings.HasSuffix(text, "\n") {
		n++
	}
	return n
}

package tui

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"agent/internal/chat"
)

// densityLine says in a line what density removed and what that freed.
func densityLine(e chat.DensityApplied) string {
	var parts []string
	count := func(n int, one, many string) {
		if n > 0 {
			parts = append(parts, plural(n, one, many))
		}
	}
	count(e.Metadata.ReadWritePairsPruned, "stale read", "")
	count(e.Metadata.FileDeduplicationsPruned, "duplicate file", "")
	count(e.Metadata.RecencyPruned, "old result", "")
	parts = append(parts, freed(e.TokensBefore, e.TokensAfter, e.Limit))
	return "density: " + strings.Join(parts, ", ")
}

// compressionLine says in a line what a compression did.
func compressionLine(e chat.Compressed) string {
	if !e.Applied {
		return fmt.Sprintf("compression (%s): nothing to do, %s", e.Strategy, e.Reason)
	}
	return fmt.Sprintf("compression (%s): %s", e.Strategy, freed(e.TokensBefore, e.TokensAfter, e.Limit))
}

// freed is "−12.3k tokens (41% → 31%)", without the shares when they are the same.
func freed(before, after, limit int) string {
	sign, n := "−", before-after
	if n < 0 {
		sign, n = "+", -n
	}
	line := sign + tokens(n) + " tokens"
	if limit > 0 && percent(before, limit) != percent(after, limit) {
		line += fmt.Sprintf(" (%d%% → %d%%)", percent(before, limit), percent(after, limit))
	}
	return line
}

func percent(n, of int) int {
	if of <= 0 {
		return 0
	}
	return (n*100 + of/2) / of
}

// tokens is a number of tokens in at most five characters: 950, 12.3k, 1.2M.
func tokens(n int) string {
	switch {
	case n >= 999_950:
		return strconv.FormatFloat(float64(n)/1e6, 'f', 1, 64) + "M"
	case n >= 99_950:
		return strconv.Itoa((n+500)/1000) + "k"
	case n >= 1000:
		return strings.Replace(strconv.FormatFloat(float64(n)/1e3, 'f', 1, 64), ".0", "", 1) + "k"
	}
	return strconv.Itoa(n)
}

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

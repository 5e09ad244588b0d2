package refusal

import (
	"cmp"
	"net/http"
	"strconv"
	"strings"
	"time"

	"agent/internal/base/lazyregexp"
)

// RetryDelay returns the time that the server asks to wait, or 0.
func (p Problem) RetryDelay(now time.Time) time.Duration {
	return cmp.Or(retryAfter(p.Header, now), max(p.delay, 0), p.wait())
}

// retryAfter returns the time that the headers ask to wait, or 0. The headers contain milliseconds,
// seconds or a date. The result is never negative.
func retryAfter(header http.Header, now time.Time) time.Duration {
	for _, name := range []string{"Retry-After-Ms", "X-Ms-Retry-After-Ms"} {
		if ms, err := strconv.ParseFloat(header.Get(name), 64); err == nil {
			return seconds(ms / 1000)
		}
	}
	value := strings.TrimSpace(header.Get("Retry-After"))
	if s, err := strconv.ParseFloat(value, 64); err == nil {
		return seconds(s)
	}
	if date, err := http.ParseTime(value); err == nil {
		return max(date.Sub(now), 0)
	}
	return 0
}

// seconds converts a number of seconds to a Duration, limited so that it does not overflow.
func seconds(s float64) time.Duration {
	const most = 365 * 24 * 3600
	if !(s > 0) {
		return 0
	}
	return time.Duration(min(s, most) * float64(time.Second))
}

// askedWait matches a wait in a message in lower case: "try again in 6m0s" (OpenAI, Groq), "retry in
// 37.5s" (Gemini), "wait 56 seconds" (GitHub), "retry after 12 seconds" (Azure).
var askedWait = lazyregexp.New(`(?:try again|retry|wait)(?: in| after)? ((?:\d+(?:\.\d+)?(?:h|ms|m|s))+\b|\d+(?:\.\d+)? ?seconds?)`)

// wait returns the time that the message asks to wait, or 0.
func (p Problem) wait() time.Duration {
	found := askedWait.FindStringSubmatch(strings.ToLower(p.Message))
	if found == nil {
		return 0
	}
	d, _ := time.ParseDuration(strings.NewReplacer(" ", "", "seconds", "s", "second", "s").Replace(found[1]))
	return d
}

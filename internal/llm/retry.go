package llm

import (
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// The waits between attempts. Before attempt n+1 the wait is a random part of
// firstDelay·2ⁿ⁻¹ (full jitter), so that clients that failed together do not come
// back together; it is never more than maxDelay.
const (
	firstDelay = time.Second
	maxDelay   = 30 * time.Second
	// maxRetryAfter is the longest wait a server may ask for. Beyond it a person
	// decides.
	maxRetryAfter = 2 * time.Minute
	// dialAttempts bounds the attempts when nothing answers at all: a mistyped
	// address should be told within seconds.
	dialAttempts = 3
)

// retryDelay says how long to wait before the next attempt after failure, and
// whether there is to be one.
func (c *Client) retryDelay(failure *Error) (time.Duration, bool) {
	most := c.config.MaxAttempts
	if failure.unreachable {
		most = min(most, dialAttempts)
	}
	retried := failure.Kind == Unavailable || failure.Kind == RateLimit || failure.Kind == Truncated
	if !retried || failure.final || failure.Attempts >= most {
		return 0, false
	}
	if asked := failure.RetryAfter; asked > 0 {
		if asked > maxRetryAfter {
			failure.Hint = fmt.Sprintf("it asks to wait %s; %s", asked.Round(time.Second), hintLater)
			return 0, false
		}
		return asked, true
	}
	ceiling := min(firstDelay<<(failure.Attempts-1), maxDelay)
	return time.Duration(c.config.Jitter() * float64(ceiling)), true
}

// retryAfter reads how long a server asks to wait: milliseconds, seconds or a date.
// It returns 0 when the server does not say, and never a negative time.
func retryAfter(header http.Header, now time.Time) time.Duration {
	if ms, err := strconv.ParseFloat(header.Get("Retry-After-Ms"), 64); err == nil {
		return seconds(ms / 1000)
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

// seconds bounds what a header may say to what a Duration can hold.
func seconds(s float64) time.Duration {
	const most = 365 * 24 * 3600
	if !(s > 0) {
		return 0
	}
	return time.Duration(min(s, most) * float64(time.Second))
}

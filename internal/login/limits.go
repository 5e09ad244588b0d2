package login

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"agent/internal/llm"
	"agent/internal/llm/lenientjson"
)

// A LimitWindow is a period of time for which a subscription has a limit.
type LimitWindow struct {
	// Name is the name of the period for a user.
	Name string
	// Used is the used part of the limit, in percent.
	Used float64
	// Of is the limit in requests, or 0 if unknown.
	Of float64
	// Resets is the end of the period, or zero if unknown.
	Resets time.Time
}

// String describes the window in a few words.
func (w LimitWindow) String() string {
	return fmt.Sprintf("%s: %d %% used", w.Name, int(math.Round(w.Used)))
}

// ResetText returns the end of the period, formatted for a user, or "" if unknown.
func (w LimitWindow) ResetText(now time.Time) string {
	switch {
	case w.Resets.IsZero():
		return ""
	case w.Resets.Sub(now) < 24*time.Hour:
		return w.Resets.In(now.Location()).Format("15:04")
	}
	return w.Resets.In(now.Location()).Format("2006-01-02 15:04")
}

// DescribeWindows describes windows in one line, such as "5 h: 37 % used, resets 14:10; week: 61 %
// used". It returns "" if there are none.
func DescribeWindows(windows []LimitWindow, now time.Time) string {
	var parts []string
	for _, w := range windows {
		text := w.String()
		if reset := w.ResetText(now); reset != "" {
			text += ", resets " + reset
		}
		parts = append(parts, text)
	}
	return strings.Join(parts, "; ")
}

// A LimitedSource is a Source whose account has limits.
type LimitedSource interface {
	// Limits returns the limits from the latest replies.
	Limits() []LimitWindow
}

// Limits implements LimitedSource.
func (a *account) Limits() []LimitWindow {
	if windows := a.windows.Load(); windows != nil {
		return *windows
	}
	return nil
}

// ErrLimit is the cause of an *llm.Error if the limit of a subscription is reached.
var ErrLimit = errors.New("the subscription limit is reached")

// checkLimits stores the limits in the headers of a response. If a limit is reached, it returns an
// error with the time of the reset.
func (a *account) checkLimits(response *http.Response) (*http.Response, error) {
	of, known := AccountByName(strings.SplitN(a.id, ":", 2)[0])
	if !known || of.limits == nil {
		return response, nil
	}
	now := a.sources.Now()
	if windows := of.limits(response.Header, now); len(windows) > 0 {
		a.windows.Store(&windows)
	}
	if response.StatusCode != http.StatusTooManyRequests {
		return response, nil
	}
	text, err := io.ReadAll(io.LimitReader(response.Body, maxAnswer))
	_ = response.Body.Close()
	response.Body = io.NopCloser(bytes.NewReader(text))
	if err != nil {
		return response, nil
	}
	said := lenientjson.Decode[struct {
		Error struct {
			Type    string          `json:"type"`
			Code    string          `json:"code"`
			Seconds lenientjson.Int `json:"resets_in_seconds"`
			At      json.Number     `json:"resets_at"`
		} `json:"error"`
	}](text).Error
	full, resets := said.Type == "usage_limit_reached" || said.Code == "usage_limit_reached" || said.Code == "quota_exceeded", time.Time{}
	name := of.Title
	for _, w := range a.Limits() {
		if w.Used >= 100 && w.Resets.After(resets) {
			full, resets, name = true, w.Resets, of.Title+" ("+w.Name+")"
		}
	}
	at, _ := said.At.Int64()
	switch after, _ := strconv.Atoi(response.Header.Get("Retry-After")); {
	case !full:
		return response, nil
	case said.Seconds.NonNegative() > 0:
		resets = now.Add(time.Duration(said.Seconds.NonNegative()) * time.Second)
	case at > 0:
		resets = time.Unix(at, 0)
	case resets.IsZero() && after > 0:
		resets = now.Add(time.Duration(min(after, math.MaxInt32)) * time.Second)
	}
	e := &llm.Error{
		Kind: llm.RateLimit, Status: response.StatusCode, Final: true, Message: "the limit of " + name + " is reached",
		Hint: "wait, or set on-limit to the profile to use until then", Err: ErrLimit,
	}
	if !resets.IsZero() {
		e.RetryAfter = max(0, resets.Sub(now))
		e.Message += "; it resets " + LimitWindow{Resets: resets}.ResetText(now)
	}
	return nil, e
}

// chatGPTLimits parses the limits of a ChatGPT account.
func chatGPTLimits(header http.Header, now time.Time) []LimitWindow {
	var windows []LimitWindow
	for _, part := range []string{"Primary", "Secondary"} {
		of := func(name string) float64 {
			number, err := strconv.ParseFloat(header.Get("X-Codex-"+part+"-"+name), 64)
			if err != nil || math.IsNaN(number) || number < 0 || number > math.MaxInt32*2 {
				return -1
			}
			return number
		}
		used, minutes := of("Used-Percent"), of("Window-Minutes")
		if used < 0 {
			continue
		}
		w := LimitWindow{Name: span(time.Duration(max(0, minutes)) * time.Minute), Used: min(used, 100)}
		if at := of("Reset-At"); at > 0 {
			w.Resets = time.Unix(int64(at), 0)
		} else if after := of("Reset-After-Seconds"); after >= 0 {
			w.Resets = now.Add(time.Duration(after) * time.Second)
		}
		windows = append(windows, w)
	}
	return windows
}

func span(d time.Duration) string {
	const day = 24 * time.Hour
	switch {
	case d <= 0:
		return "limit"
	case d == 7*day:
		return "week"
	case d >= day:
		return strconv.Itoa(int(d/day)) + " d"
	case d >= time.Hour:
		return strconv.Itoa(int(d/time.Hour)) + " h"
	}
	return strconv.Itoa(int(d/time.Minute)) + " min"
}

// copilotLimits parses the limits of an account of GitHub Copilot.
func copilotLimits(header http.Header, _ time.Time) []LimitWindow {
	var windows []LimitWindow
	for _, at := range []struct{ header, name string }{
		{"X-Usage-Ratelimit-Session", "session"},
		{"X-Usage-Ratelimit-Weekly", "week"},
		{"X-Quota-Snapshot-Premium_interactions", premium},
		{"X-Quota-Snapshot-Premium_models", premium},
	} {
		said, err := url.ParseQuery(header.Get(at.header))
		left, noNumber := strconv.ParseFloat(said.Get("rem"), 64)
		if err != nil || noNumber != nil || !(left >= 0 && left <= 100) || len(windows) > 0 && windows[len(windows)-1].Name == at.name {
			continue
		}
		w := LimitWindow{Name: at.name, Used: 100 - left}
		if of, err := strconv.ParseFloat(said.Get("ent"), 64); err == nil && of > 0 && of <= math.MaxInt32 {
			w.Of = of
		}
		w.Resets, _ = time.Parse(time.RFC3339, said.Get("rst")) // zero if the header has no time
		windows = append(windows, w)
	}
	return windows
}

// premium is the name of the limit for requests that GitHub counts per month.
const premium = "premium requests"

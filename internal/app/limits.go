package app

import (
	"slices"
	"strconv"

	"agent/internal/chat"
	"agent/internal/login"
)

// limits shows the user the limits of a subscription.
type limits struct {
	models *endpoints
	events *events

	// told holds the windows of the last notice to the user. begun holds the windows at the start of the
	// turn.
	told, begun []login.LimitWindow
}

// nearLimit lists the used shares of a limit, in percent, at which the user gets a notice.
var nearLimit = []float64{80, 95}

// watch shows a notice when a limit is near, once for each window and share. At the end of a turn it shows
// the rest of the limits.
func (l *limits) watch(e chat.Event) {
	switch e.(type) {
	case chat.TurnStarted, chat.UsageReported, chat.TurnEnded:
	default:
		return
	}
	now, windows := l.models.at.process.Now(), l.models.own.Limits()
	if _, begins := e.(chat.TurnStarted); begins {
		l.begun = windows
		return
	}
	for _, w := range windows {
		before := windowNamed(l.told, w.Name)
		for _, part := range slices.Backward(nearLimit) {
			if w.Used >= part && (before.Used < part || !before.Resets.Equal(w.Resets)) {
				l.events.emit(chat.Notice{Text: "near the limit: " + login.DescribeWindows([]login.LimitWindow{w}, now)})
				break
			}
		}
	}
	l.told = windows
	if _, ends := e.(chat.TurnEnded); ends && len(windows) > 0 {
		line := login.DescribeWindows(windows, now)
		for _, w := range windows {
			if took := (w.Used - windowNamed(l.begun, w.Name).Used) * w.Of / 100; len(l.begun) > 0 && took >= 0.005 {
				line += "; this turn used " + strconv.FormatFloat(took, 'f', -1, 32) + " " + w.Name
			}
		}
		l.events.emit(chat.Notice{Text: line})
	}
}

// windowNamed returns the window with a name, or the zero Window.
func windowNamed(windows []login.LimitWindow, name string) login.LimitWindow {
	i := slices.IndexFunc(windows, func(w login.LimitWindow) bool { return w.Name == name })
	if i < 0 {
		return login.LimitWindow{}
	}
	return windows[i]
}

package provider

import (
	"encoding/json"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"agent/internal/disk"
	"agent/internal/llm"
	"agent/internal/llm/openai"
	"agent/internal/rawjson"
)

const (
	// lessonLife is how long a lesson counts: servers are updated.
	lessonLife = 7 * 24 * time.Hour
	// mostLessons is how many are kept; the oldest make room.
	mostLessons = 200
)

// lessons is a file with what endpoints have taught about how they want to be asked,
// by host and model. Only what was understood is in it, so that losing it costs one
// refused request.
type lessons struct {
	// path is "" where nothing is kept.
	path string
	now  func() time.Time

	mu sync.Mutex
}

// taught is a lesson of the file.
type taught struct {
	Dialect openai.Dialect `json:"dialect"`
	At      time.Time      `json:"at"`
}

// newLessons returns those of a folder, "" for none.
func newLessons(folder string, now func() time.Time) *lessons {
	l := &lessons{now: now}
	if folder != "" {
		l.path = filepath.Join(folder, "endpoints.json")
	}
	return l
}

// of returns the lessons of a host.
func (l *lessons) of(host string) llm.Lessons[openai.Dialect] { return hostLessons{l, host} }

// hostLessons implements llm.Lessons for a host.
type hostLessons struct {
	all  *lessons
	host string
}

// Learned implements llm.Lessons.
func (h hostLessons) Learned(model string) openai.Dialect { return h.all.read()[h.key(model)].Dialect }

// Keep implements llm.Lessons. A failure is not reported: the endpoint teaches it
// again.
func (h hostLessons) Keep(model string, d openai.Dialect) {
	_ = h.all.add(h.key(model), d)
}

func (h hostLessons) key(model string) string { return h.host + " " + model }

// read returns the lessons that count. A file that cannot be read has none.
func (l *lessons) read() map[string]taught {
	all := map[string]taught{}
	if l.path == "" {
		return all
	}
	data, err := disk.Read(l.path)
	if err != nil || json.Unmarshal(data, &all) != nil {
		return map[string]taught{}
	}
	maps.DeleteFunc(all, func(_ string, t taught) bool {
		age := l.now().Sub(t.At)
		return age > lessonLife || age < 0
	})
	return all
}

func (l *lessons) add(key string, d openai.Dialect) error {
	if l.path == "" {
		return nil
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	all := l.read()
	all[key] = taught{d, l.now()}
	oldest := slices.SortedFunc(maps.Keys(all), func(a, b string) int {
		if c := all[a].At.Compare(all[b].At); c != 0 {
			return c
		}
		return strings.Compare(a, b)
	})
	for _, key := range oldest[:max(0, len(oldest)-mostLessons)] {
		delete(all, key)
	}
	data, err := rawjson.Marshal(all)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(l.path), 0o700); err != nil {
		return err
	}
	return disk.Replace(l.path, append(data, '\n'), 0o600)
}

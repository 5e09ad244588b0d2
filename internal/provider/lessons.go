package provider

import (
	"cmp"
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
	"agent/internal/rawjson"
)

// mostLessons is how many lessons a file keeps. The oldest are removed.
const mostLessons = 200

// lessons is a file with what endpoints have taught, by host and model. If it is lost, the
// lessons are learned again.
type lessons[T any] struct {
	// path is the file, "" to keep nothing.
	path string
	// life is how long a lesson is valid: servers are updated.
	life time.Duration
	now  func() time.Time

	mu sync.Mutex
}

// taught is a lesson of the file.
type taught[T any] struct {
	Lesson T         `json:"lesson"`
	At     time.Time `json:"at"`
}

const (
	// dialectFile has the dialects that endpoints have understood.
	dialectFile = "endpoints.json"
	dialectLife = 7 * 24 * time.Hour

	// lifeFile has how long the caches of endpoints keep a prompt.
	lifeFile = "caches.json"
	lifeLife = 30 * 24 * time.Hour
)

// newLessons returns the lessons in a file in folder. They are not kept if folder is "".
func newLessons[T any](folder, file string, life time.Duration, now func() time.Time) *lessons[T] {
	l := &lessons[T]{life: life, now: now}
	if folder != "" {
		l.path = filepath.Join(folder, file)
	}
	return l
}

// of returns the lessons of a host.
func (l *lessons[T]) of(host string) llm.Lessons[T] { return hostLessons[T]{l, host} }

// hostLessons implements llm.Lessons for a host.
type hostLessons[T any] struct {
	all  *lessons[T]
	host string
}

// Learned implements llm.Lessons.
func (h hostLessons[T]) Learned(model string) T { return h.all.read()[h.key(model)].Lesson }

// Keep implements llm.Lessons. A failure is ignored: the endpoint teaches the lesson again.
func (h hostLessons[T]) Keep(model string, lesson T) {
	_ = h.all.add(h.key(model), lesson)
}

func (h hostLessons[T]) key(model string) string { return h.host + " " + model }

// read returns the valid lessons. A file that cannot be read has none.
func (l *lessons[T]) read() map[string]taught[T] {
	all := map[string]taught[T]{}
	if l.path == "" {
		return all
	}
	data, err := disk.Read(l.path)
	if err != nil || json.Unmarshal(data, &all) != nil {
		return map[string]taught[T]{}
	}
	maps.DeleteFunc(all, func(_ string, t taught[T]) bool {
		age := l.now().Sub(t.At)
		return age > l.life || age < 0
	})
	return all
}

func (l *lessons[T]) add(key string, lesson T) error {
	if l.path == "" {
		return nil
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	all := l.read()
	all[key] = taught[T]{lesson, l.now()}
	oldest := slices.SortedFunc(maps.Keys(all), func(a, b string) int {
		return cmp.Or(all[a].At.Compare(all[b].At), strings.Compare(a, b))
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

package provider

import (
	"cmp"
	"encoding/json"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"agent/internal/base/fsutil"
	"agent/internal/base/rawjson"
	"agent/internal/llm"
	"agent/internal/llm/openai"
)

// mostLessons limits the lessons in a file. The oldest are removed.
const mostLessons = 200

// lessons is a file with facts about endpoints, by host and model. Each fact was learned from the
// endpoint, and is learned again if the file is lost.
type lessons[T any] struct {
	// path is the path of the file, or "" to store nothing.
	path string
	// life is the time for which a lesson is valid. It is limited because servers are updated.
	life time.Duration
	now  func() time.Time
}

// taught is a lesson in the form of the file, with the time at which it was learned.
type taught[T any] struct {
	Lesson T         `json:"lesson"`
	At     time.Time `json:"at"`
}

const (
	// dialectFile contains the dialects that worked at each endpoint.
	dialectFile = "endpoints.json"
	dialectLife = 7 * 24 * time.Hour

	// claudeFile contains the dialects of the Messages API. Lessons about bound thinking are valid for
	// longer.
	claudeFile = "claude.json"
	claudeLife = 30 * 24 * time.Hour

	// boundFile contains the models whose reasoning is bound to the conversation before it.
	boundFile = "bound.json"
	boundLife = 30 * 24 * time.Hour

	// lifeFile contains the observed cache lifetimes of endpoints.
	lifeFile = "caches.json"
	lifeLife = 30 * 24 * time.Hour
)

// newLessons returns the lessons in a file in folder. If folder is "", nothing is stored.
func newLessons[T any](folder, file string, life time.Duration, now func() time.Time) *lessons[T] {
	l := &lessons[T]{life: life, now: now}
	if folder != "" {
		l.path = filepath.Join(folder, file)
	}
	return l
}

func (l *lessons[T]) of(host string) llm.DialectStore[T] { return hostLessons[T]{l, host} }

// hostLessons implements llm.DialectStore for a host.
type hostLessons[T any] struct {
	all  *lessons[T]
	host string
}

// Learned implements llm.DialectStore.
func (h hostLessons[T]) Learned(model string) T { return h.all.read()[h.key(model)].Lesson }

// Keep implements llm.DialectStore. It ignores errors, because the lesson would be learned again.
func (h hostLessons[T]) Keep(model string, lesson T) {
	_ = h.all.add(h.key(model), lesson)
}

func (h hostLessons[T]) key(model string) string { return h.host + " " + model }

// read returns the valid lessons. A file that cannot be read has none.
func (l *lessons[T]) read() map[string]taught[T] {
	if l.path == "" {
		return nil
	}
	data, _ := fsutil.Read(l.path)
	return l.parse(data)
}

// parse returns the valid lessons of a file. A damaged file has none.
func (l *lessons[T]) parse(data []byte) map[string]taught[T] {
	all := map[string]taught[T]{}
	if json.Unmarshal(data, &all) != nil {
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
	return fsutil.UpdateFile(l.path, func(data []byte) ([]byte, error) {
		all := l.parse(data)
		all[key] = taught[T]{lesson, l.now()}
		oldest := slices.SortedFunc(maps.Keys(all), func(a, b string) int {
			return cmp.Or(all[a].At.Compare(all[b].At), strings.Compare(a, b))
		})
		for _, key := range oldest[:max(0, len(oldest)-mostLessons)] {
			delete(all, key)
		}
		data, err := rawjson.Marshal(all)
		return append(data, '\n'), err
	})
}

// dialectLessons stores the dialects of a host. It stores for longer whether reasoning is bound.
type dialectLessons struct {
	llm.DialectStore[openai.Dialect]
	bound llm.DialectStore[bool]
}

// Learned implements llm.DialectStore.
func (l dialectLessons) Learned(model string) openai.Dialect {
	d := l.DialectStore.Learned(model)
	d.Bound = l.bound.Learned(model)
	return d
}

// Keep implements llm.DialectStore.
func (l dialectLessons) Keep(model string, d openai.Dialect) {
	if d.Bound {
		l.bound.Keep(model, true)
	}
	l.DialectStore.Keep(model, d)
}

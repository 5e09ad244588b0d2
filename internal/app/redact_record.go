package app

import (
	"slices"
	"sync"

	"agent/internal/llm"
	"agent/internal/session"
)

// keyHider removes the API keys in use from the records of a conversation and its subagents, because a
// command may print a key. The zero value is ready. It is safe for concurrent use.
type keyHider struct {
	mu   sync.Mutex
	keys []string
	logs []*session.Log
}

// hide hides a key from every record.
func (h *keyHider) hide(key llm.Key) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.keys = append(h.keys, string(key))
	for _, log := range h.logs {
		log.Hide(string(key))
	}
}

func (h *keyHider) known() []string {
	h.mu.Lock()
	defer h.mu.Unlock()
	return slices.Clone(h.keys)
}

// hideFrom hides every key, also future keys, from another record. The caller calls forget once the record
// is closed.
func (h *keyHider) hideFrom(log *session.Log) (forget func()) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.logs = append(h.logs, log)
	for _, key := range h.keys {
		log.Hide(key)
	}
	return func() {
		h.mu.Lock()
		defer h.mu.Unlock()
		h.logs = slices.DeleteFunc(h.logs, func(other *session.Log) bool { return other == log })
	}
}

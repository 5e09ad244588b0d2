package session

// CacheRefresh is a request that only kept the conversation in the provider's cache. It is not part of the
// conversation.
type CacheRefresh struct {
	Model string `json:"model"`
	Host  string `json:"host,omitempty"`
	// Wait is the kind of event that the conversation waited for: "work", "answer" or "message".
	Wait string `json:"wait"`
	// Prompt is the size of the request, and Cached is the part that was in the cache, in tokens. Both are
	// 0 for a request that was stopped or failed.
	Prompt int `json:"prompt"`
	Cached int `json:"cached"`
	// Cost is the cost in USD.
	Cost float64 `json:"cost"`
	// Held is set if the cache still contained the conversation, as far as is known.
	Held bool `json:"held"`
	// Failed is the reason why the request failed, or "" if it did not.
	Failed string `json:"failed,omitempty"`
}

// RecordCacheRefresh records a request that only kept the conversation in the provider's cache.
func (l *Log) RecordCacheRefresh(w CacheRefresh) error { return l.record(TypeCacheRefresh, w) }

// CacheRefresh returns the request that the record contains. It returns false for a record of another type, or a
// damaged record.
func (r Record) CacheRefresh() (CacheRefresh, bool) {
	if r.Type != TypeCacheRefresh {
		return CacheRefresh{}, false
	}
	payload, err := decode(r)
	warmed, is := payload.(CacheRefresh)
	return warmed, is && err == nil
}

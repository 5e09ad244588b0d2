package tokens

import "sync"

// Vocabularies hands out counters and loads each vocabulary at most once. The
// zero value is ready; its methods may be called from any goroutine.
type Vocabularies struct {
	mu       sync.Mutex
	counters map[Encoding]*Counter
}

// Counter returns the counter for a model. The first call for an encoding starts
// loading its vocabulary and does not wait for it.
func (v *Vocabularies) Counter(model string) *Counter {
	enc := EncodingFor(model)
	v.mu.Lock()
	defer v.mu.Unlock()
	counter, loading := v.counters[enc]
	if !loading {
		if v.counters == nil {
			v.counters = make(map[Encoding]*Counter)
		}
		counter = Load(enc)
		v.counters[enc] = counter
	}
	return counter
}

package entries

import (
	"fmt"
	"hash/fnv"
	"strings"

	"agent/internal/history"
	"agent/internal/llm/vendor"
)

// CallIDs chooses the ids of the calls in a request, and pairs calls and responses by position (D-11).
// A response answers the first unanswered call of the latest entry with the same id in the history.
type CallIDs struct {
	form vendor.IDForm
	// model is the model of the request. Ids that this model created are sent unchanged.
	model string
	// waiting contains the sent ids of the unanswered calls of the latest entry, by their ids in the
	// history.
	waiting map[string][]string
	// taken contains all sent ids, because some servers refuse a repeated id.
	taken map[string]bool
}

// NewCallIDs returns a CallIDs for a request to a model, in the form that the vendor accepts.
func NewCallIDs(form vendor.IDForm, model string) *CallIDs {
	return &CallIDs{form: form, model: model, waiting: map[string][]string{}, taken: map[string]bool{}}
}

// BeginEntry starts an entry with calls.
func (c *CallIDs) BeginEntry() { clear(c.waiting) }

// Add returns the id to send for a call of an entry: its id in the form that the vendor accepts. The id
// is changed if it is empty or was used before.
func (c *CallIDs) Add(entry *history.Content, id string) string {
	form := c.form
	if by, ok := entry.Metadata[history.MetaModel].(string); ok && by == c.model {
		form = vendor.AnyIDs
	}
	wire := fitID(form, id, 1)
	for n := 2; c.taken[wire]; n++ {
		wire = fitID(form, id, n)
	}
	c.taken[wire] = true
	c.waiting[id] = append(c.waiting[id], wire)
	return wire
}

// SentID returns the sent id of the call that a response answers.
func (c *CallIDs) SentID(id string) string {
	waiting := c.waiting[id]
	if len(waiting) == 0 {
		return id
	}
	c.waiting[id] = waiting[1:]
	return waiting[0]
}

const (
	longestPlainID = 40
	nine           = 9
)

// fitID returns an id in the form that a vendor accepts. n, counted from 1, distinguishes calls with
// the same id.
func fitID(form vendor.IDForm, id string, n int) string {
	if id == "" {
		id = "call"
	}
	if n == 1 && takesID(form, id) {
		return id
	}
	switch form {
	case vendor.NineIDs:
		return hashed(id, n)
	case vendor.PlainIDs:
		plain := plainName(id)
		if plain == id && len(id) < longestPlainID-len("_999") {
			return fmt.Sprintf("%s_%d", id, n)
		}
		return plain[:min(len(plain), longestPlainID-nine-1)] + "_" + hashed(id, n)
	default:
		return fmt.Sprintf("%s_%d", id, n)
	}
}

func takesID(form vendor.IDForm, id string) bool {
	foreign := func(r rune) bool { return !isWordByte(r) }
	switch form {
	case vendor.NineIDs:
		return len(id) == nine && !strings.ContainsFunc(id, foreign) && !strings.ContainsAny(id, "_-")
	case vendor.PlainIDs:
		return len(id) <= longestPlainID && !strings.ContainsFunc(id, foreign)
	default:
		return true
	}
}

// plainName replaces all characters of a name except letters, digits, _ and -.
func plainName(name string) string {
	return strings.Map(func(r rune) rune {
		if isWordByte(r) {
			return r
		}
		return '_'
	}, name)
}

func isWordByte(r rune) bool {
	return r == '_' || r == '-' || '0' <= r && r <= '9' || 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z'
}

// hashed returns a hash of id and n with nine letters and digits.
func hashed(id string, n int) string {
	const digits = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
	hash := fnv.New64a()
	_, _ = fmt.Fprintf(hash, "%s %d", id, n)
	sum := hash.Sum64()
	var text [nine]byte
	for i := range text {
		text[i] = digits[sum%uint64(len(digits))]
		sum /= uint64(len(digits))
	}
	return string(text[:])
}

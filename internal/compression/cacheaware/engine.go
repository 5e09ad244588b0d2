package cacheaware

import (
	"math"

	"agent/internal/history"
)

// Options is what an Engine is made of.
type Options struct {
	// Tools declares the tools of the conversation.
	Tools Tools
	// Root is what relative paths mean in entries that name no workspace; absolute.
	Root string
	// Counter counts tokens, as the history does.
	Counter func() history.Counter
}

// Engine follows one conversation and says what may leave it.
type Engine struct {
	Options

	entries []*history.Content
	units   []unit
	// open are the calls that wait for their answer, by id.
	open  map[string]*fact
	files map[string]*file
	// byKey is the latest call with each key.
	byKey map[string]*fact
	// bySource is the latest answer that is the content of each source.
	bySource map[string]*fact
	words    vocabulary
	// request counts the replies so far: the number of the next request.
	request int
	// humans is the latest request that carried a human message first.
	human int
	// edits are the requests that first carried the answer of an applied edit.
	edits []int
	// answered is the number of units in front of the latest reply.
	answered int
	// total is the size of the conversation as it is, unpruned as it came.
	total, unpruned int

	account account
	// bills are those of the requests so far, again the files that were asked for again
	// since the latest.
	bills []Bill
	again []string
	// latest is the latest request that was answered.
	latest  Request
	learned learned
	// rebuilding is set while entries are added that were settled before.
	rebuilding bool
}

// New returns an engine for an empty conversation.
func New(o Options) *Engine {
	return &Engine{
		Options: o,
		open:    map[string]*fact{},
		files:   map[string]*file{},
		byKey:   map[string]*fact{},

		bySource: map[string]*fact{},
		words:    vocabulary{},
		human:    -1,
		account:  account{kept: math.MaxInt},
	}
}

func (e *Engine) count(text string) int { return e.Counter().Count(text) }

// Len is the number of entries the engine was given.
func (e *Engine) Len() int { return len(e.entries) }

// Entry returns an entry as it is, with the changes applied so far.
func (e *Engine) Entry(i int) *history.Content { return e.entries[i] }

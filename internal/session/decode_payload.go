package session

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"

	"agent/internal/history"
)

// decoders maps the types of records to functions that decode their whole payload or return an error.
var decoders = map[Type]func(Record) (any, error){
	TypeSession:      decodeAs[sessionPayload],
	TypeEntry:        decodeEntry,
	TypeDensity:      decodeDensity,
	TypeCompression:  decodeAs[compressionPayload],
	TypeClear:        decodeAs[clearPayload],
	TypePin:          decodeAs[pinPayload],
	TypeRewind:       decodeRewind,
	TypeTodo:         decodeTodo,
	TypeSetting:      decodeAs[settingPayload],
	TypeJob:          decodeAs[jobPayload],
	TypeTitle:        decodeAs[titlePayload],
	TypeWaiting:      decodeAs[waitingPayload],
	TypeServers:      decodeAs[serversPayload],
	TypeStart:        decodeAs[startPayload],
	TypeGrants:       decodeAs[grantsPayload],
	TypeNote:         decodeAs[Note],
	TypeNotice:       decodeAs[noticePayload],
	TypeAgent:        decodeAs[Agent],
	TypeCacheRefresh: decodeAs[CacheRefresh],
	TypeAction:       decodeAs[Action],
}

// decode decodes the payload of a record: an entry into a *history.Content, and any other payload into the
// type for its record.
func decode(r Record) (payload any, err error) {
	if read, known := decoders[r.Type]; known {
		return read(r)
	}
	return nil, fmt.Errorf("unknown type %q", r.Type)
}

func decodeAs[T any](r Record) (any, error) {
	var payload T
	err := json.Unmarshal(r.Payload, &payload)
	return payload, err
}

func decodeEntry(r Record) (any, error) {
	entry := new(history.Content)
	if err := entry.UnmarshalJSON(r.Payload); err != nil {
		return nil, err
	}
	var tokens map[string][]int
	if json.Unmarshal(r.Tokens, &tokens) == nil { // otherwise they are counted again
		for vocabulary, blocks := range tokens {
			entry.SetTokens(history.TokenCounts{Vocabulary: vocabulary, Blocks: blocks})
		}
	}
	return entry, nil
}

func decodeDensity(r Record) (any, error) {
	var payload densityPayload
	if err := json.Unmarshal(r.Payload, &payload); err != nil {
		return nil, err
	}
	for _, entry := range payload.Replacements {
		if entry == nil {
			return nil, errors.New("a replacement is null")
		}
	}
	return payload, nil
}

// decodeRewind decodes the number of the record to return to, which must be smaller than the number of this
// record.
func decodeRewind(r Record) (any, error) {
	var payload rewindPayload
	if err := json.Unmarshal(r.Payload, &payload); err != nil {
		return nil, err
	}
	if payload.To == 0 || payload.To >= r.Seq {
		return nil, fmt.Errorf("it rewinds to record %d, which is not earlier", payload.To)
	}
	return payload, nil
}

func decodeTodo(r Record) (any, error) {
	if !json.Valid(r.Payload) {
		return nil, errors.New("its todo list is not JSON")
	}
	return todoPayload{bytes.Clone(r.Payload)}, nil
}

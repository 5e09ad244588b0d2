package session

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"

	"agent/internal/history"
)

// decode reads the payload of a record, all of it or nothing: an entry is a
// *history.Content, anything else the payload of its type.
func decode(r Record) (payload any, err error) {
	switch r.Type {
	case TypeSession:
		return decodeAs[sessionPayload](r)
	case TypeEntry:
		return decodeEntry(r)
	case TypeDensity:
		return decodeDensity(r)
	case TypeCompression:
		return decodeAs[compressionPayload](r)
	case TypeClear:
		return decodeAs[clearPayload](r)
	case TypePin:
		return decodeAs[pinPayload](r)
	case TypeRewind:
		return decodeRewind(r)
	case TypeTodo:
		return decodeTodo(r)
	case TypeSetting:
		return decodeAs[settingPayload](r)
	case TypeJob:
		return decodeAs[jobPayload](r)
	case TypeTitle:
		return decodeAs[titlePayload](r)
	case TypeWaiting:
		return decodeAs[waitingPayload](r)
	case TypeServers:
		return decodeAs[serversPayload](r)
	case TypeNotice:
		return decodeAs[noticePayload](r)
	}
	return nil, fmt.Errorf("it is of an unknown type, %q", r.Type)
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
	for vocabulary, blocks := range parseTokens(r.Tokens) {
		entry.SetTokens(history.TokenCounts{Vocabulary: vocabulary, Blocks: blocks})
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

// decodeRewind reads how to go back to what was before an earlier record.
func decodeRewind(r Record) (any, error) {
	var payload rewindPayload
	if err := json.Unmarshal(r.Payload, &payload); err != nil {
		return nil, err
	}
	if payload.To == 0 || payload.To >= r.Seq {
		return nil, fmt.Errorf("it goes back to record %d, which is no earlier one", payload.To)
	}
	return payload, nil
}

func decodeTodo(r Record) (any, error) {
	if !json.Valid(r.Payload) {
		return nil, errors.New("its todo list is not JSON")
	}
	return todoPayload{bytes.Clone(r.Payload)}, nil
}

package cacheaware

import (
	"crypto/sha256"
	"encoding/hex"

	"agent/internal/history"
)

// MetaShown is the key of the metadata of an answer that says what it shows of a file,
// so that the record of a conversation reports what the model knew.
const MetaShown = "shown"

// Shown is what the model knows of a file after an answer.
type Shown struct {
	// Path is absolute.
	Path string `json:"path"`
	// From and To are the first and last line that the answer shows, 0 for none; Whole
	// says that these are all.
	From  int  `json:"from,omitempty"`
	To    int  `json:"to,omitempty"`
	Whole bool `json:"whole,omitempty"`
	// Hash is that of the whole file then (see Hash), empty when nobody knows it.
	Hash string `json:"hash,omitempty"`
}

// Hash reports whether a file is what it was.
func Hash[Text []byte | string](content Text) string {
	sum := sha256.Sum256([]byte(content))
	return hex.EncodeToString(sum[:12])
}

// Note notes at an answer what it shows.
func (s Shown) Note(answer *history.Content) *history.Content {
	return answer.WithMeta(MetaShown, s)
}

// shownBy is what an answer notes that it shows. It is about the only answer of its entry.
func shownBy(answer *history.Content) Shown {
	if len(answer.Blocks) != 1 {
		return Shown{}
	}
	shown, _ := history.MetaOf[Shown](answer, MetaShown)
	return shown
}

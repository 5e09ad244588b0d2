package cacheaware

import (
	"crypto/sha256"
	"encoding/hex"

	"agent/internal/history"
)

// MetaShown is the key of a result's metadata that holds its Shown, so that the record of a
// conversation reports the model's knowledge of files.
const MetaShown = "shown"

// Shown describes the model's knowledge of a file after a result.
type Shown struct {
	// Path is absolute.
	Path string `json:"path"`
	// From and To are the first and last line that the result shows, or 0 for none. Whole is set
	// if these are all lines of the file.
	From  int  `json:"from,omitempty"`
	To    int  `json:"to,omitempty"`
	Whole bool `json:"whole,omitempty"`
	// Hash is the hash of the whole file at that time (see the function Hash), or empty if
	// unknown.
	Hash string `json:"hash,omitempty"`
}

// Hash returns a digest of the content of a file, which shows later whether the file has changed.
func Hash[Text []byte | string](content Text) string {
	sum := sha256.Sum256([]byte(content))
	return hex.EncodeToString(sum[:12])
}

// Note returns a result with s in its metadata.
func (s Shown) Note(answer *history.Content) *history.Content {
	return answer.WithMeta(MetaShown, s)
}

// shownBy returns the Shown of a result, or a zero Shown if its entry has more than one block.
func shownBy(answer *history.Content) Shown {
	if len(answer.Blocks) != 1 {
		return Shown{}
	}
	shown, _ := history.MetaOf[Shown](answer, MetaShown)
	return shown
}

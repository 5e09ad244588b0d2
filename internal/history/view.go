package history

import (
	"crypto/sha256"
	"encoding/hex"
	"strings"
)

// MetaView is the metadata key for the View of a result. With it, the log of a conversation contains
// which parts of files the model knows.
const MetaView = "shown"

// A View describes the part of a file that a result shows to the model.
type View struct {
	// Path is absolute.
	Path string `json:"path"`
	// From and To are the first and last lines that the result shows, or 0 for none. Whole is set if
	// these are all lines of the file.
	From  int  `json:"from,omitempty"`
	To    int  `json:"to,omitempty"`
	Whole bool `json:"whole,omitempty"`
	// Hash is the Digest of the whole file at that time, or "" if unknown.
	Hash string `json:"hash,omitempty"`
}

// Digest returns a digest of the content of a file, with which a later change can be detected.
func Digest[Text []byte | string](content Text) string {
	sum := sha256.Sum256([]byte(content))
	return hex.EncodeToString(sum[:12])
}

// Note returns a result with v in its metadata.
func (v View) Note(answer *Content) *Content {
	return answer.WithMeta(MetaView, v)
}

// ViewOf returns the View of a result, or a zero View if its entry has more than one block.
func ViewOf(answer *Content) View {
	if len(answer.Blocks) != 1 {
		return View{}
	}
	v, _ := MetaOf[View](answer, MetaView)
	return v
}

// Names reports whether text contains the base name of a file. Very short names are ignored, because
// they occur by chance.
func Names(text, path string) bool {
	const shortest = 5
	base := path[strings.LastIndexAny(path, `/\`)+1:]
	return len(base) >= shortest && strings.Contains(text, base)
}

// longMessage is the size in bytes from which a message counts as a plan, a report or a log.
const longMessage = 1000

// AsksFor reports whether a message of the user requests a file: it is short and names the file. A long
// message names files for other reasons.
func AsksFor(message, path string) bool { return len(message) < longMessage && Names(message, path) }

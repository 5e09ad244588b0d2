package entries

import (
	"crypto/sha256"
	"encoding/hex"

	"agent/internal/history"
)

// RefusedAttachments is a set of attachments that are not sent because they were refused. Examples are signatures
// of a replaced model, reasoning that was encrypted for another account, and void thinking. The set is
// immutable. Nil is the empty set.
type RefusedAttachments struct{ digests map[string]bool }

// Has reports whether an attachment is in the set.
func (f *RefusedAttachments) Has(a *history.Attachment) bool { return f != nil && f.digests[Digest(a)] }

// NewRefusedAttachments returns the set of the non-empty attachments, or nil if all are empty.
func NewRefusedAttachments(attached []*history.Attachment) *RefusedAttachments {
	f := &RefusedAttachments{map[string]bool{}}
	for _, a := range attached {
		if a != nil && len(a.Data) > 0 {
			f.digests[Digest(a)] = true
		}
	}
	if len(f.digests) == 0 {
		return nil
	}
	return f
}

// digestLength is the length of a digest in bytes. A short digest is enough, because a collision
// helps no attacker.
const digestLength = 12

// Digest returns a short text that identifies an attachment.
func Digest(a *history.Attachment) string {
	sum := sha256.Sum256(a.Data)
	return hex.EncodeToString(sum[:digestLength])
}

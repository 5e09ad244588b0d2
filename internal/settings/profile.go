package settings

import (
	"regexp"
	"strings"
)

// NoProfile is the word that stands for no profile; it cannot name one.
const NoProfile = "none"

// maxName bounds a profile's name, so that its file name is valid everywhere.
const maxName = 64

var plainName = regexp.MustCompile(`^[\p{L}\p{N}_][\p{L}\p{N}_.-]*$`)

// Profile is a named set of values, validated.
type Profile struct {
	Name string
	// Values are the known settings by canonical key, the model among them.
	Values map[string]Value
	// Unknown are the fields this version does not know, for example
	// "settings.colour"; they are kept when the profile is saved.
	Unknown []string
}

// ValidName reports whether name can name a profile.
func ValidName(name string) error {
	switch {
	case name == "":
		return &Error{Problem: "a profile needs a name"}
	case strings.EqualFold(name, NoProfile):
		return &Error{Problem: `"none" stands for no profile and cannot name one`}
	case len(name) > maxName || !plainName.MatchString(name):
		return &Error{Problem: "not a profile name: " + quote(name) + "; use letters, digits, - _ and ., at most 64"}
	}
	return nil
}

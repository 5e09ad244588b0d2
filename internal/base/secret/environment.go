package secret

import (
	"net/url"
	"path/filepath"
	"strings"
)

// leastRandom is the least length, in bytes, of a value that is searched for in other texts.
const leastRandom = 16

// FromEnvironment returns the secrets in the variables of an environment that are distinguishable
// from other texts: 16 bytes or more, with letters and digits. A plain word or a path, such as the
// path of a socket, would be replaced where it is no secret. For an address it returns the
// password.
func FromEnvironment(environ []string) []string {
	var secrets []string
	for _, pair := range environ {
		name, value, _ := strings.Cut(pair, "=")
		if !IsSecretName(name) && !Contains(value) {
			continue
		}
		if address, err := url.Parse(value); err == nil && address.Host != "" {
			value, _ = address.User.Password()
		}
		if len(value) >= leastRandom && !filepath.IsAbs(value) && hasLettersAndDigits(value) {
			secrets = append(secrets, value)
		}
	}
	return secrets
}

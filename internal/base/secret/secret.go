// Package secret recognizes keys and passwords by their names and by their values.
package secret

import (
	"slices"
	"strings"

	"agent/internal/base/lazyregexp"
)

// nameParts lists parts of the names of secrets. nameWords lists whole words between underscores.
var (
	nameParts = []string{"KEY", "SECRET", "TOKEN", "PASSWORD", "PASSWD", "PASSPHRASE", "PGPASS", "CREDENTIAL", "DATABASE_URL", "CONNECTION_STRING"}
	nameWords = []string{"PASS", "PWD", "PAT", "AUTH", "JWT", "BEARER", "COOKIE", "COOKIES", "DSN", "APIKEY", "PIN", "OTP", "SIG", "SIGNATURE", "AUTHORIZATION"}
)

// IsSecretName reports whether a variable, header or parameter with this name contains a secret. It ignores
// case, and treats hyphens and underscores as equal.
func IsSecretName(name string) bool {
	name = strings.ToUpper(strings.ReplaceAll(name, "-", "_"))
	if name == "PWD" { // the working directory
		return false
	}
	return slices.ContainsFunc(nameParts, func(part string) bool { return strings.Contains(name, part) }) ||
		slices.ContainsFunc(strings.Split(name, "_"), func(word string) bool { return slices.Contains(nameWords, word) })
}

// FromHeader returns the secret in a header of a request, without the scheme before it. It returns ""
// if neither the name nor the value indicates a secret.
func FromHeader(name, value string) string {
	if !IsSecretName(name) && !Contains(value) {
		return ""
	}
	if scheme, rest, found := strings.Cut(value, " "); found && slices.Contains(schemes, strings.ToLower(scheme)) {
		return strings.TrimSpace(rest)
	}
	return value
}

// schemes lists the authentication schemes before the secret in a header.
var schemes = []string{"bearer", "basic", "token", "apikey"}

// issued lists the prefixes of the keys that well-known services issue.
var issued = []string{
	"ghp_", "gho_", "ghu_", "ghs_", "ghr_", "github_pat_", "glpat-", "sk-", "gsk_", "xai-", "nvapi-", "hf_", "npm_", "pypi-", "dop_v1_", "AIza", "AKIA", "ASIA", "SG.", "rk_live_", "sk_live_",
	"xoxa-", "xoxb-", "xoxe-", "xoxo-", "xoxp-", "xoxr-", "xoxs-", "xapp-", "ya29.", "hvs.", "hvb.", "whsec_", "lin_api_", "figd_", "glc_eyJ", "glsa_", "shpat_", "shpss_", "shpca_", "shppa_", "ATATT3",
	"AGE-SECRET-KEY-1", "dckr_pat_", "PMAK-", "NRAK-", "pplx-", "sbp_", "rubygems_",
}

// anyIssued matches one of these prefixes.
var anyIssued = `(?:` + strings.ReplaceAll(strings.Join(issued, "|"), ".", `\.`) + `)`

// Regular expressions of secrets. The first group of each is the text before the secret.
var (
	keyForm = `(^|[^A-Za-z0-9])` + anyIssued + `[A-Za-z0-9_\-.]{16,}`
	// The last part of a webhook address is a secret.
	webhookForm = `(hooks\.slack\.com/(?:services|workflows|triggers)/|discord(?:app)?\.com/api/webhooks/|webhook\.office\.com/webhookb2/|api\.telegram\.org/bot)[\w/:.@\-]{16,}`
	tokenForm   = `(^|[^A-Za-z0-9])eyJ[A-Za-z0-9_\-]{8,}\.[A-Za-z0-9_\-.]{4,}`
	addressForm = `(://)[^/?#\s:@]*:[^/?#\s@]+`
)

var (
	// key requires at least 16 characters after the prefix, because a shorter word may be a name.
	key = lazyregexp.New(keyForm)
	// masked also matches keys that are shortened or contain asterisks.
	masked  = lazyregexp.New(`(^|[^A-Za-z0-9])` + anyIssued + `[A-Za-z0-9_*.\-]{8,}`)
	onlyKey = lazyregexp.New(`^` + anyIssued + `[A-Za-z0-9_\-.]{16,}$`)
	// other matches passwords in addresses, webhooks, private keys and signed tokens.
	other = lazyregexp.New(addressForm + `@|` + webhookForm + `|-----BEGIN [A-Z ]*PRIVATE KEY|` + tokenForm)
)

// Contains reports whether a text contains a service key, a password in an address, a webhook address, a
// signed token or a private key.
func Contains(text string) bool { return key.MatchString(text) || other.MatchString(text) }

// Is reports whether a text is a key of a well-known service and nothing else.
func Is(text string) bool { return onlyKey.MatchString(text) }

// Placeholder is the text that replaces a secret.
const Placeholder = "[key]"

// RedactKeys replaces the keys of well-known services in a text.
func RedactKeys(text string) string { return key.ReplaceAllString(text, "${1}"+Placeholder) }

// RedactEchoedKeys replaces keys in the error message of a server, which may have masked them partly.
func RedactEchoedKeys(text string) string { return masked.ReplaceAllString(text, "${1}"+Placeholder) }

package servers

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"agent/internal/base/humanize"
	"agent/internal/base/lazyregexp"
	"agent/internal/base/secret"
)

// variable matches a reference to an environment variable, with an optional default.
var variable = lazyregexp.New(`\$\{([A-Za-z_][A-Za-z0-9_]*)(:-([^}]*))?\}`)

// Environment looks up environment variables.
type Environment struct {
	// Lookup returns the value of a variable and whether it is set.
	Lookup func(name string) (string, bool)
	// Key reports whether a variable contains a key of a model provider. Servers of a repository do
	// not receive such keys.
	Key func(name, value string) bool
}

// Expand returns a copy of the server with its variables replaced by their values. The error names
// a variable that is not set, or that the server must not receive.
func (s *Server) Expand(e Environment) (*Server, error) {
	with := *s
	if s.Origin == OriginEditor {
		return &with, nil
	}
	var failed error
	value := func(name string) (string, bool) {
		value, set := e.Lookup(name)
		if set && s.NeedsConsent() && e.Key != nil && e.Key(name, value) {
			failed = cmp.Or(failed, fmt.Errorf("%s contains a provider's API key, which servers of a repository don't get. To pass it, use your own mcp.json", name))
			return "", false
		}
		return value, set
	}
	text := func(text string) string {
		return rewriteText(text, strings.Clone, func(name, otherwise string, fallback bool) string {
			value, set := value(name)
			switch {
			case fallback && value == "":
				return otherwise
			case !set:
				failed = cmp.Or(failed, fmt.Errorf("the variable %s is not set", name))
			}
			return value
		})
	}
	with.Command, with.Cwd, with.URL = text(s.Command), text(s.Cwd), text(s.URL)
	with.Args, with.Env, with.Headers = slices.Clone(s.Args), maps.Clone(s.Env), maps.Clone(s.Headers)
	for i, arg := range with.Args {
		with.Args[i] = text(arg)
	}
	for _, values := range []map[string]string{with.Env, with.Headers} {
		for _, name := range slices.Sorted(maps.Keys(values)) {
			values[name] = text(values[name])
		}
	}
	if name := s.OAuth.ClientSecretEnv; name != "" {
		with.OAuth.ClientSecret, _ = value(name)
	}
	for _, name := range s.EnvVars {
		value, set := value(name)
		if _, has := with.Env[name]; !set || has {
			continue
		}
		if with.Env == nil {
			with.Env = map[string]string{}
		}
		with.Env[name] = value
	}
	return &with, failed
}

// rewriteText rewrites a text. literal rewrites the text between variables, and value the
// variables.
func rewriteText(text string, literal func(string) string, value func(name, otherwise string, fallback bool) string) string {
	var b strings.Builder
	for _, found := range variable.FindAllStringSubmatch(text, -1) {
		before, after, _ := strings.Cut(text, found[0])
		b.WriteString(literal(before) + value(found[1], found[3], found[2] != ""))
		text = after
	}
	return b.String() + literal(text)
}

// usual lists the environment variables that the programs of all servers receive. Variables that
// begin with LC_ or XDG_ are also usual.
var usual = []string{
	"PATH", "HOME", "USER", "LOGNAME", "SHELL", "LANG", "TERM", "TMPDIR", "TZ",
	"HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY", "ALL_PROXY", "http_proxy", "https_proxy", "no_proxy", "all_proxy",
	"SSL_CERT_FILE", "SSL_CERT_DIR",
}

// isUsual reports whether the programs of all servers receive an environment variable.
func isUsual(name string) bool {
	return slices.Contains(usual, name) || strings.HasPrefix(name, "LC_") || strings.HasPrefix(name, "XDG_")
}

// Environ returns the environment of the server's program, sorted: the usual variables of environ,
// more, and the variables of the entry. Later ones take precedence. The server must be expanded.
func (s *Server) Environ(environ []string, more map[string]string) []string {
	with := map[string]string{}
	for _, pair := range environ {
		name, value, _ := strings.Cut(pair, "=")
		if isUsual(name) {
			with[name] = value
		}
	}
	maps.Copy(with, more)
	maps.Copy(with, s.Env)
	var all []string
	for _, name := range slices.Sorted(maps.Keys(with)) {
		all = append(all, name+"="+with[name])
	}
	return all
}

// Describe describes the server for listings: its command or address, its environment and its headers.
// It omits values of variables and secrets. For a server of a repository it lists all effects,
// because a repository's texts contain no secrets of the user.
func (s *Server) Describe() []string {
	if s.NeedsConsent() {
		return s.Effects().Describe()
	}
	var lines []string
	if s.Transport == Stdio {
		lines = append(lines, s.Summary())
	} else {
		lines = append(lines, string(s.Transport)+" "+s.Summary())
	}
	for _, name := range slices.Sorted(maps.Keys(s.Env)) {
		lines = append(lines, name+"="+maskedValue(name, s.Env[name]))
	}
	for _, name := range slices.Sorted(maps.Keys(s.Headers)) {
		lines = append(lines, name+": "+rewriteText(s.Headers[name], hidden, byName))
	}
	return lines
}

// Summary returns the command or the address of the server, without secrets.
func (s *Server) Summary() string {
	if s.Transport != Stdio {
		return rewriteText(s.URL, address, byName)
	}
	parts := []string{rewriteText(s.Command, strings.Clone, byName)}
	for i, arg := range s.Args {
		name, value, assigned := strings.Cut(arg, "=")
		switch {
		case i > 0 && strings.HasPrefix(s.Args[i-1], "-") && !strings.Contains(s.Args[i-1], "=") && secret.IsSecretName(s.Args[i-1]) && !strings.HasPrefix(arg, "-"):
			arg = rewriteText(arg, hidden, byName)
		case assigned:
			arg = name + "=" + maskedValue(name, value)
		default:
			arg = maskedValue("", arg)
		}
		parts = append(parts, arg)
	}
	return strings.Join(parts, " ")
}

// byName returns a reference to a variable, "${NAME}".
func byName(name, _ string, _ bool) string { return "${" + name + "}" }

// maskedValue returns a value with references to its variables. It hides the value if it may be
// secret.
func maskedValue(name, value string) string {
	if secret.IsSecretName(name) || secret.Contains(value) {
		return rewriteText(value, hidden, byName)
	}
	return rewriteText(value, strings.Clone, byName)
}

// address returns a part of an address without passwords and parameter values.
func address(part string) string {
	if scheme, rest, found := strings.Cut(part, "://"); found {
		if user, host, found := strings.Cut(rest, "@"); found && !strings.ContainsAny(user, "/?#") {
			part = scheme + "://" + hidden(user) + "@" + host
		}
	}
	before, query, found := strings.Cut(part, "?")
	if !found {
		return maskedValue("", part)
	}
	var parameters []string
	for parameter := range strings.SplitSeq(query, "&") {
		if name, value, assigned := strings.Cut(parameter, "="); assigned {
			parameter = name + "=" + hidden(value)
		}
		parameters = append(parameters, parameter)
	}
	return maskedValue("", before) + "?" + strings.Join(parameters, "&")
}

// schemes lists the authentication schemes before the secret in a header.
var schemes = []string{"Bearer ", "Basic ", "Token ", "bearer ", "basic ", "token "}

// hidden replaces a secret by its length. It keeps the scheme before the secret.
func hidden(literal string) string {
	before := ""
	for _, scheme := range schemes {
		if rest, found := strings.CutPrefix(literal, scheme); found {
			before, literal = scheme, rest
		}
	}
	if literal == "" {
		return before
	}
	return before + "(" + humanize.Count(len([]rune(literal)), "character") + ")"
}

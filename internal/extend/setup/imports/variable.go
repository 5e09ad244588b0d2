package imports

import (
	"strings"

	"agent/internal/base/lazyregexp"
)

// The patterns for variables and placeholders in the configurations of coding agents.
var (
	// envBraces matches a variable of opencode.
	envBraces = lazyregexp.New(`\{env:([A-Za-z_][A-Za-z0-9_]*)\}`)
	// envDollar matches a variable of an editor.
	envDollar = lazyregexp.New(`\$\{env:([A-Za-z_][A-Za-z0-9_]*)\}`)
	// dollarName matches a variable of a shell.
	dollarName = lazyregexp.New(`\$([A-Za-z_][A-Za-z0-9_]*)`)
	// input matches an input of VS Code.
	input = lazyregexp.New(`\$\{input:([^}]*)\}`)
	// ours matches a variable in our form.
	ours = lazyregexp.New(`\$(\{[A-Za-z_][A-Za-z0-9_]*(?::-[^}]*)?\})`)
	// leftOver matches the beginning of a placeholder that has no translation.
	leftOver = lazyregexp.New(`\$\{|\$\(|\{file:|\{env:`)
	noLetter = lazyregexp.New(`[^A-Za-z0-9]+`)
)

// variables converts the variables in the texts of a value to our form.
func (t *translation) variables(field string, value any) any {
	switch value := value.(type) {
	case string:
		return t.text(field, value)
	case []any:
		for i := range value {
			value[i] = t.variables(field, value[i])
		}
	case map[string]any:
		for name := range value {
			value[name] = t.variables(field, value[name])
		}
	}
	return value
}

// text converts the variables in a text to our form. It records placeholders that it cannot
// convert.
func (t *translation) text(field, text string) string {
	if !strings.ContainsAny(text, "${") {
		return text
	}
	if t.literal { // an unset variable becomes a literal $
		text = ours.ReplaceAllString(text, "$${AGENT_DOLLAR:-$$}$1")
	}
	text = envDollar.ReplaceAllString(text, "$${$1}")
	text = envBraces.ReplaceAllString(text, "$${$1}")
	text = strings.NewReplacer("${workspaceFolder}", ".", "${userHome}", "${HOME}").Replace(text)
	if t.dollar {
		text = dollarName.ReplaceAllString(text, "$${$1}")
	}
	for _, found := range input.FindAllStringSubmatch(text, -1) {
		name := "INPUT_" + strings.ToUpper(noLetter.ReplaceAllString(found[1], "_"))
		text = strings.ReplaceAll(text, found[0], "${"+name+"}")
		t.lose("%s uses an input of VS Code, which agent doesn't support: set the environment variable %s", field, name)
	}
	if leftOver.MatchString(ours.ReplaceAllString(text, "")) {
		t.lose("%s has an unknown placeholder: replace it", field)
	}
	return text
}

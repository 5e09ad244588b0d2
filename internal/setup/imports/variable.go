package imports

import (
	"strings"

	"agent/internal/pattern"
)

// How agents write variables.
var (
	// envBraces is opencode's form, envDollar that of editors, dollarName that of shells.
	envBraces  = pattern.New(`\{env:([A-Za-z_][A-Za-z0-9_]*)\}`)
	envDollar  = pattern.New(`\$\{env:([A-Za-z_][A-Za-z0-9_]*)\}`)
	dollarName = pattern.New(`\$([A-Za-z_][A-Za-z0-9_]*)`)
	input      = pattern.New(`\$\{input:([^}]*)\}`)
	// ours is our form; what is like one and not of it is left to the person.
	ours     = pattern.New(`\$(\{[A-Za-z_][A-Za-z0-9_]*(?::-[^}]*)?\})`)
	leftOver = pattern.New(`\$\{|\$\(|\{file:|\{env:`)
	noLetter = pattern.New(`[^A-Za-z0-9]+`)
)

// variables returns a value in whose texts variables are written in our form.
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

func (t *translation) text(field, text string) string {
	if !strings.ContainsAny(text, "${") {
		return text
	}
	if t.literal { // a variable that nobody sets gives the sign, and what it gives is text
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
		t.lose("an input fills in %s: set the variable %s", field, name)
	}
	if leftOver.MatchString(ours.ReplaceAllString(text, "")) {
		t.lose("%s has a placeholder that is not known here: fill it in", field)
	}
	return text
}

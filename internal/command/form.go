package command

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"agent/internal/base/suggest"
)

// word returns the word of a form at an index, or "" if there is none.
func (f Form) word(at int) string {
	words := strings.Fields(f.Args)
	switch {
	case at < len(words):
		return words[at]
	case f.Rest:
		return words[len(words)-1]
	}
	return ""
}

func isValue(word string) bool { return strings.ToLower(word) != word || strings.HasPrefix(word, "[") }

func (f Form) leastWords() int {
	return len(slices.DeleteFunc(strings.Fields(f.Args), func(word string) bool { return word[0] == '[' }))
}

func (f Form) values(args []string) []string {
	var values []string
	for i, arg := range args {
		if isValue(f.word(i)) {
			values = append(values, arg)
		}
	}
	return values
}

// fittingForms returns the forms that fit the beginning of args, and the number of arguments that fit. A
// form with the literal word takes precedence over a form with a value at that position.
func (c Command) fittingForms(args []string) (forms []Form, n int) {
	forms = c.Forms
	for n < len(args) {
		var typed, values []Form
		for _, form := range forms {
			switch word := form.word(n); {
			case isValue(word):
				values = append(values, form)
			case word != "" && strings.EqualFold(word, args[n]):
				typed = append(typed, form)
			}
		}
		switch {
		case len(typed) > 0:
			forms = typed
		case len(values) > 0:
			forms = values
		default:
			return forms, n
		}
		n++
	}
	return forms, n
}

// run runs the form that fits the arguments.
func (c Command) run(ctx context.Context, args []string) (Output, error) {
	forms, n := c.fittingForms(args)
	if n < len(args) {
		var words []string
		for _, form := range forms {
			if word := form.word(n); word != "" {
				words = append(words, word)
			}
		}
		if len(words) == 0 {
			return Output{}, c.tooMany()
		}
		return Output{}, fmt.Errorf("unknown argument %q%s; %s", args[n], suggest.Question(args[n], words), c.describeForms())
	}
	for _, form := range forms {
		if form.Run != nil && n >= form.leastWords() {
			return form.Run(ctx, form.values(args))
		}
	}
	return Output{}, fmt.Errorf("an argument is missing: %s", c.typedForm(forms[0]))
}

// complete proposes the words that can follow the arguments.
func (c Command) complete(args []string) (proposals []Completion) {
	forms, n := c.fittingForms(args)
	if n < len(args) {
		return nil
	}
	for _, form := range forms {
		switch word := form.word(n); {
		case isValue(word) && form.Complete != nil:
			proposals = append(proposals, form.Complete(form.values(args))...)
		case !isValue(word) && word != "" && form.Run != nil: // a form without Run is a hint
			proposals = append(proposals, Completion{Value: word, Help: form.Does})
		}
	}
	return proposals
}

// typedForm returns a form with the name of the command, as a user types it.
func (c Command) typedForm(form Form) string {
	return strings.TrimSpace("/" + c.Name + " " + form.Args)
}

// tooMany returns the error for more arguments than the command accepts.
func (c Command) tooMany() error {
	if len(c.Forms) == 1 && c.Forms[0].Args == "" {
		return errors.New(c.describeForms())
	}
	return errors.New("too many arguments; " + c.describeForms())
}

func (c Command) describeForms() string {
	var forms []string
	for _, form := range c.Forms {
		forms = append(forms, form.Args)
	}
	alone := slices.Contains(forms, "")
	forms = slices.DeleteFunc(forms, func(args string) bool { return args == "" })
	text := "/" + c.Name + " takes "
	switch last := len(forms) - 1; last {
	case -1:
		return text + "no arguments"
	case 0:
		text += forms[0]
	default:
		text += strings.Join(forms[:last], ", ") + " or " + forms[last]
	}
	if alone {
		text += ", or no arguments"
	}
	return text
}

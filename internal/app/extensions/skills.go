package extensions

import (
	"fmt"

	"agent/internal/base/humanize"
	"agent/internal/base/suggest"
	"agent/internal/extend/setup"
	"agent/internal/settings"
	"agent/internal/tools"
)

// bytesPerToken estimates tokens from bytes. It is low, so that texts rarely need more tokens than
// estimated. A budget needs no exact count.
const bytesPerToken = 3

// Source returns the source of the tool for skills.
func (b *Extensions) Source() tools.Source {
	return tools.Source{Revision: b.toolRevision.Load, List: func() []tools.Tool {
		if tool := b.tool.Load(); tool != nil {
			return *tool
		}
		return nil
	}}
}

// offerSkills offers the tool for skills to the model if the model may use any skill. It returns notices
// for the user.
func (b *Extensions) offerSkills() (notices []string) {
	budget := setup.Budget(b.Window())
	if set := settings.SkillBudget.Value(b.Settings); set > 0 {
		budget = set
	}
	catalogue, cut, whole := b.Set().Skills.Catalogue(budget, func(text string) int { return len(text) / bytesPerToken })
	var tool []tools.Tool
	if catalogue != "" {
		tool = []tools.Tool{tools.SkillTool(catalogue, b.activate)}
	}
	b.tool.Store(&tool)
	b.toolRevision.Add(1)
	if cut > 0 {
		notices = append(notices, fmt.Sprintf("The descriptions of %s are shortened for the model. To send them whole, run: /set skills.budget %d", humanize.Count(cut, "skill"), whole))
	}
	return notices
}

// SkillText returns the text of a skill for a subagent, or "" if the model may not use the skill. It grants
// no permissions.
func (b *Extensions) SkillText(name string) string {
	s := b.Set().Skills.ByName(name)
	if s == nil || s.Hidden {
		return ""
	}
	text, _, _ := setup.Call{Entry: s, As: s.Name}.Text(notRun) // notRun returns no error
	return text
}

// notRun replaces the output of a command in the text of a skill.
func notRun(string) (output, refused string, err error) {
	return "", "run it yourself if it is needed", nil
}

func (b *Extensions) activate(name, arguments string) (tools.SkillContent, error) {
	s := b.Set().Skills.ByName(name)
	switch {
	case s == nil:
		var names []string
		for _, s := range b.Set().Skills.Entries {
			if s.IsForModel() {
				names = append(names, s.Name)
			}
		}
		return tools.SkillContent{}, fmt.Errorf("unknown skill %q%s", name, suggest.Question(name, names))
	case s.Hidden:
		return tools.SkillContent{}, fmt.Errorf("only the user may activate the skill %s; ask them to type /%s", s.Name, s.Name)
	}
	call := setup.Call{Entry: s, As: s.Name, Arguments: arguments}
	b.lendRules(call.Entry)
	text, _, err := call.Text(notRun)
	return tools.SkillContent{Text: text, Key: call.Key()}, err
}

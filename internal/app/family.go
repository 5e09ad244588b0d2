package app

import (
	"agent/internal/llm/vendor"
	"agent/internal/settings"
	"agent/internal/traits"
)

// form is how the model in use edits files.
func (c *Conversation) form() traits.Form {
	family, _ := c.Connection.Family(settings.Model.Of(c.settings))
	return FormOf(c.settings, family)
}

// FormOf is how models of a family edit files: as edit-tool says, else as they are
// trained.
func FormOf(s *settings.Settings, family vendor.Family) traits.Form {
	switch settings.EditTool.Of(s) {
	case settings.EditPatch:
		return traits.Patch
	case settings.EditReplace:
		return traits.Replace
	}
	return FormOfFamily(family)
}

// FormOfFamily is how models of a family are trained to edit files.
func FormOfFamily(family vendor.Family) traits.Form {
	if family.Patches() {
		return traits.Patch
	}
	return traits.Replace
}

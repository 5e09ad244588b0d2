package settings

// The values of Sandbox.
const (
	SandboxAuto    = "auto"
	SandboxOff     = "off"
	SandboxRequire = "require"
)

// Sandbox says whether commands are confined: where the system can, never, or else
// the program does not start.
var Sandbox = Declare(Enum(SandboxAuto, SandboxOff, SandboxRequire), SandboxAuto, Spec{
	Key:      "sandbox",
	Help:     "whether commands run in a sandbox; require refuses to start without one",
	Category: CategoryTools,
})

// SandboxAllowWrite are folders and files besides the workspace that confined
// commands may write.
var SandboxAllowWrite = Optional(List("paths with commas between them"), Spec{
	Key: "sandbox.allow-write", Unset: "only the workspace and a temporary folder",
	Help:     "further folders and files that commands in the sandbox may write",
	Category: CategoryTools,
})

// SandboxDenyRead are files and folders that confined commands cannot open, besides
// the usual places of keys.
var SandboxDenyRead = Optional(List("paths with commas between them"), Spec{
	Key: "sandbox.deny-read", Unset: "only the usual places of keys",
	Help:     "further files and folders that commands in the sandbox cannot read",
	Category: CategoryTools,
})

// SandboxAllowRead are files of the workspace that hold keys by their names and that
// confined commands can open all the same.
var SandboxAllowRead = Optional(List("paths with commas between them"), Spec{
	Key: "sandbox.allow-read", Unset: "none that hold keys and that git does not know",
	Help:     "files of the workspace that hold keys by their names, such as .env, and that commands in the sandbox can read",
	Category: CategoryTools,
})

// SandboxAllowNetwork leaves confined commands the network.
var SandboxAllowNetwork = Declare(Bool(), false, Spec{
	Key:      "sandbox.allow-network",
	Help:     "whether commands in the sandbox reach the network",
	Category: CategoryTools,
})

// SandboxAllowEnv are variables that commands see although their names say that
// they hold a secret.
var SandboxAllowEnv = Optional(List("names of variables with commas between them"), Spec{
	Key: "sandbox.allow-env", Unset: "none whose names or values speak of a secret",
	Help:     "variables that commands see although their names speak of secrets",
	Category: CategoryTools,
})

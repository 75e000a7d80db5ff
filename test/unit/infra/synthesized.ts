import { Template } from 'aws-cdk-lib/assertions'
import { createApp } from '../../../infra/app.ts'
import { defaults, type EnvironmentConfig, type EnvironmentName, localStage } from '../../../infra/environments.ts'
import { readStacks, resolveStacks } from '../../../infra/local/template/stacks.ts'
import { EnvironmentStage } from '../../../infra/stacks/environment-stage.ts'
import { sharedAssembly } from '../../fixtures/assembly.ts'

/** Of a template. What it has is as unknown as the content of a file. */
type Json = ReturnType<typeof JSON.parse>

export interface Resource {
  readonly Type: string
  readonly Properties: Json
  readonly [attribute: string]: Json
}

/** For `createApp`: no template shows the assets. */
export const withoutAssets = { 'aws:cdk:disable-asset-staging': true }

const stages = new Map<string, EnvironmentStage>()

/** An environment with its defaults, a change and what `-c` sets. The same is created once for all tests. */
export const createStage = (
  environment: EnvironmentName,
  change: Partial<EnvironmentConfig> = {},
  context = {},
): EnvironmentStage => {
  const config = { ...defaults[environment], ...change }
  const name = JSON.stringify([environment, config, context])
  const app = () => createApp({ [environment]: config }, { context: { ...withoutAssets, ...context } })
  const stage = stages.get(name) ?? app().node.findChild(environment)
  if (!(stage instanceof EnvironmentStage)) throw new Error('The app has no stage.')
  stages.set(name, stage)
  return stage
}

export type Templates = Readonly<Record<'data' | 'api' | 'reference', Template>>

/** The templates of an environment. */
export const synthesize = (environment: EnvironmentName, change?: Partial<EnvironmentConfig>): Templates => {
  const { data, api, reference } = createStage(environment, change)
  if (reference === undefined) throw new Error('The stage has no reference.')
  return { data: Template.fromStack(data), api: Template.fromStack(api), reference: Template.fromStack(reference) }
}

/** Gives the resources of staging with the names of others in place of references. */
export const resolvedResources = () => resolveStacks(readStacks(sharedAssembly, localStage)).resourcesOf

/** All that is off by default, turned on, so that one synthesis shows it all. */
export const everyOption = {
  alarmEmail: 'ops@example.org',
  runbookUrl: 'https://git.example.org/pets/infra/README.md',
  contactUrl: 'https://example.org/keys',
  domain: {
    name: 'api.example.org',
    certificateArn: 'arn:aws:acm:eu-central-1:111122223333:certificate/0a1b2c3d-0000-4000-8000-000000000000',
  },
  reservedConcurrency: 50,
  logRetentionDays: 7,
  release: 'canary',
  alarms: true,
  dashboard: true,
  requestsPerAddress: 1_000,
  tracing: true,
} as const satisfies Partial<EnvironmentConfig>

/** Where an environment may be deployed. */
export const place = { account: '111122223333', region: 'eu-central-1' } as const

/** The resources of one type, or all, by their logical ids. */
export const resourcesOf = (template: Template, type?: string): Readonly<Record<string, Resource>> =>
  Object.fromEntries(
    Object.entries<Json>(template.toJSON()['Resources']).flatMap(([id, resource]) =>
      type === undefined || resource.Type === type ? [[id, { Properties: {}, ...resource }]] : [],
    ),
  )

export const propertiesOf = (template: Template, type: string): readonly Json[] =>
  Object.values(resourcesOf(template, type)).map(({ Properties }) => Properties)

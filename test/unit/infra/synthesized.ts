import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { Template } from 'aws-cdk-lib/assertions'
import { defaults, type EnvironmentConfig, type EnvironmentName } from '../../../infra/environments.ts'
import { createResolve } from '../../../infra/local/template/intrinsic-functions.ts'
import { createResourcesOf, type ResourcesOf } from '../../../infra/local/template/resolved-resources.ts'
import type { EnvironmentStage, EnvironmentStageProps } from '../../../infra/stacks/environment-stage.ts'
import { readAssembly } from '../../../infra/synthesis/assembly.ts'
import { createStageIn } from '../../fixtures/create-stage.ts'

const directory = mkdtempSync(join(tmpdir(), 'pet-adoption-synth-'))
process.on('exit', () => rmSync(directory, { recursive: true }))

/** A resource of a template. Its properties are as unknown as a file's content. */
export interface Resource {
  readonly Properties: Readonly<Record<string, unknown>>
  readonly [attribute: string]: unknown
}

const stages = new Map<string, EnvironmentStage>()

/** @see createStageIn: the same stage, without assets, is created once for all tests. */
export const createStage = (
  environment: EnvironmentName,
  change: Partial<EnvironmentStageProps> = {},
  withAssets = false,
): EnvironmentStage => {
  const create = () => createStageIn(directory, environment, change, withAssets)
  if (withAssets) return create()
  const name = `${environment} ${JSON.stringify({ config: defaults[environment], ...change })}`
  const stage = stages.get(name) ?? create()
  stages.set(name, stage)
  return stage
}

export interface Templates {
  readonly data: Template
  readonly api: Template
  readonly reference: Template
}

/** The templates of an environment. */
export const synthesize = (environment: EnvironmentName, config?: Partial<EnvironmentConfig>): Templates => {
  const stage = createStage(environment, { config: { ...defaults[environment], ...config } })
  return {
    data: Template.fromStack(stage.data),
    api: Template.fromStack(stage.api),
    reference: Template.fromStack(stage.reference),
  }
}

/** Gives the resources of an environment with the names of others in place of references. */
export const resolvedResources = (environment: EnvironmentName): ResourcesOf => {
  const stacks = readAssembly(dirname(createStage(environment).synth().directory), environment)
  return createResourcesOf(stacks, createResolve(stacks))
}

const domain = {
  name: 'api.example.org',
  certificateArn: 'arn:aws:acm:eu-central-1:111122223333:certificate/0a1b2c3d-0000-4000-8000-000000000000',
} as const

/** The options that tests look at, together, so that one synthesis of each environment shows them all. */
export const options = {
  staging: { domain, dashboard: true, firewall: { requestsPerAddress: 100 }, tracing: true },
  production: {
    domain,
    alarmEmail: 'ops@example.org',
    runbookUrl: 'https://git.example.org/pets/infra/README.md',
    release: 'all-at-once',
    tracing: true,
    reservedConcurrency: 50,
  },
} as const satisfies Record<EnvironmentName, Partial<EnvironmentConfig>>

/** The resources of one type by their logical ids. */
export const resourcesOf = (template: Template, type: string): Readonly<Record<string, Resource>> =>
  Object.fromEntries(
    Object.entries(template.findResources(type)).map(([id, resource]) => [
      id,
      { Properties: {}, ...resource } satisfies Resource,
    ]),
  )

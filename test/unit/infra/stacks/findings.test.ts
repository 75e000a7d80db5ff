import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { App, type CfnResource, type IPolicyValidationContext, Stack, Validations } from 'aws-cdk-lib'
import { Topic } from 'aws-cdk-lib/aws-sns'
import { AwsSolutionsChecks, ServerlessChecks } from 'cdk-nag'
import { afterAll, describe, expect, it, vi } from 'vitest'
import cdk from '../../../../cdk.json' with { type: 'json' }
import { defaults, type EnvironmentConfig, environmentNames, presets } from '../../../../infra/environments.ts'
import { EnvironmentStage } from '../../../../infra/stacks/environment-stage.ts'
import { sized } from '../../../fixtures/size.ts'

const directory = mkdtempSync(join(tmpdir(), 'pet-adoption-findings-'))
afterAll(() => rmSync(directory, { recursive: true }))

const createApp = (change: Partial<EnvironmentConfig> = {}): App => {
  const app = new App({
    context: { ...cdk.context, 'aws:cdk:bundling-stacks': [], 'aws:cdk:disable-asset-staging': true },
    outdir: mkdtempSync(join(directory, 'app-')),
  })
  for (const environment of environmentNames) {
    new EnvironmentStage(app, environment, {
      config: { ...defaults[environment], ...change },
    })
  }
  return app
}

/** The findings of a pack, and the number of resources that it checked: an empty tree also has no findings. */
interface Checked {
  resources: number
  readonly findings: string[]
}

/** The pack, which notes what it checks. */
const counted = (Pack: typeof AwsSolutionsChecks | typeof ServerlessChecks) =>
  class extends (Pack as typeof AwsSolutionsChecks) {
    readonly checked: Checked = { resources: 0, findings: [] }

    override validate(context: IPolicyValidationContext) {
      return noted(super.validate(context), this.checked)
    }

    protected override checkResource(node: CfnResource): void {
      this.checked.resources += 1
      super.checkResource(node)
    }
  }

const noted = (report: ReturnType<AwsSolutionsChecks['validate']>, { findings }: Checked) => {
  for (const { ruleName, violatingResources } of report.violations) {
    findings.push(...violatingResources.map(({ constructPath }) => `${ruleName} ${constructPath}`))
  }
  return report
}

const check = (app: App): readonly Checked[] => {
  const packs = [AwsSolutionsChecks, ServerlessChecks].map((Pack) => new (counted(Pack))(app))
  Validations.of(app).addPlugins(...packs)
  const printed = vi.spyOn(console, 'error').mockImplementation(() => {})
  try {
    app.synth()
  } catch (error) {
    // Synth fails when a pack finds something. The caller compares the findings.
    if (packs.every(({ checked }) => checked.findings.length === 0)) throw error
  } finally {
    printed.mockRestore()
  }
  return packs.map(({ checked }) => checked)
}

const everyOption: Partial<EnvironmentConfig> = {
  account: '111122223333',
  region: 'eu-central-1',
  domain: {
    name: 'api.example.org',
    certificateArn: 'arn:aws:acm:eu-central-1:111122223333:certificate/0a1b2c3d',
  },
  contactUrl: 'https://example.org/keys',
  alarmEmail: 'ops@example.org',
  firewall: { requestsPerAddress: 1_000 },
  tracing: true,
  alarms: true,
  dashboard: true,
}

describe("the rules of AWS's solutions and of serverless services", () => {
  it.each<[string, Partial<EnvironmentConfig>]>([
    ['with every option set', everyOption],
    ...sized<[string, Partial<EnvironmentConfig>][]>(
      [],
      [
        ['as they are', {}],
        ['of the small size', presets.small],
      ],
    ),
  ])('find no fault with the environments %s, but with a careless stack beside them', (_, change) => {
    const app = createApp(change)
    new Topic(new Stack(app, 'careless'), 'Topic')
    const checked = check(app)
    expect(checked.flatMap(({ findings }) => findings)).toEqual(['AwsSolutions-SNS3 careless/Topic/Resource'])
    for (const { resources } of checked) expect(resources).toBeGreaterThan(250)
  })
})

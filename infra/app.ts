import { fileURLToPath } from 'node:url'
import { App } from 'aws-cdk-lib'
import cdk from '../cdk.json' with { type: 'json' }
import { runCommand } from './command-line/run-command.ts'
import { UserError } from './command-line/user-error.ts'
import { type EnvironmentConfig, type EnvironmentName, environmentNames, environments } from './environments.ts'
import { checkEnvironment } from './stacks/check-environment.ts'
import { EnvironmentStage } from './stacks/environment-stage.ts'

interface AppOptions {
  /** The folder for templates and assets. @default the one that the `cdk` command names, or a temporary one */
  readonly outputDirectory?: string
  /** @default all, as infra/environments.ts has them */
  readonly configs?: Partial<Readonly<Record<EnvironmentName, EnvironmentConfig>>>
  /** Beside that of cdk.json. */
  readonly context?: Readonly<Record<string, unknown>>
}

/**
 * The CDK app, not yet synthesized: one stage for each environment. It calls nothing on AWS.
 *
 * @throws UserError when a configuration is wrong, or the Region cannot hold the service
 */
export const createApp = ({ configs = environments, context, outputDirectory }: AppOptions = {}): App => {
  const app = new App({
    // The `cdk` command sets these too. Set here, they give the same templates to every other caller.
    // The metadata tell the SAM CLI where the bundle of a function is.
    context: { ...cdk.context, 'aws:cdk:enable-asset-metadata': true, ...context },
    analyticsReporting: cdk.versionReporting,
    ...(outputDirectory !== undefined && { outdir: outputDirectory }),
  })
  const given = releasesIn(app.node.getAllContext())
  const stages = environmentNames.flatMap((name) => {
    const config = configs[name]
    return config === undefined ? [] : [[name, { ...config, ...given[name] }] as const]
  })
  // All before any, as the bundles of a stage take seconds. The `cdk` command sets the variable.
  for (const [name, config] of stages) checkEnvironment(name, config, process.env['CDK_DEFAULT_REGION'])
  for (const [name, config] of stages) new EnvironmentStage(app, name, config)
  return app
}

const releases = ['canary', 'all-at-once'] as const satisfies readonly EnvironmentConfig['release'][]

/**
 * What `-c production.release=all-at-once` sets for one deployment. No key of CDK's own is two words with a dot.
 *
 * @throws UserError for another environment, option or value
 */
const releasesIn = (context: Readonly<Record<string, unknown>>) => {
  const given: Partial<Record<EnvironmentName, Pick<EnvironmentConfig, 'release'>>> = {}
  for (const [key, value] of Object.entries(context)) {
    if (!/^[\w-]+\.[\w-]+$/.test(key)) continue
    const environment = environmentNames.find((name) => key === `${name}.release`)
    const release = releases.find((name) => name === value)
    if (environment === undefined || release === undefined) {
      throw new UserError(
        `-c sets ${environmentNames.map((name) => `${name}.release`).join(' or ')}, to ${releases.join(' or ')}, and not ${key}=${value}: everything else stands in infra/environments.ts.`,
      )
    }
    given[environment] = { release }
  }
  return given
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  await runCommand(() => {
    createApp().synth()
  })
}

import {
  dataOption,
  defaultDataFolder,
  environmentFlags,
  environmentOption,
  jsonOption,
  required,
} from '../../command-line/options.ts'
import { tool } from '../../command-line/tool.ts'
import { UserError } from '../../command-line/user-error.ts'
import { environmentNames } from '../../environments.ts'
import type { Target } from './open-environment.ts'

export type { Target } from './open-environment.ts'

/** The command line of a tool that works on an environment, local or on AWS. */
export const targetTool = <const Call extends string>(call: Call, description: string) =>
  tool(call, description)
    .addOption(environmentOption(['local', ...environmentNames]))
    .addOption(dataOption)
    .addOption(jsonOption)

interface TargetOptions {
  readonly env?: Target['environment'] | undefined
  readonly data?: string | undefined
}

/** @throws UserError without an environment, and where one on AWS has a data folder */
export const readTarget = ({ env, data }: TargetOptions): Target => {
  const environment = required(env, environmentFlags)
  if (environment === 'local') return { environment, data: data ?? defaultDataFolder }
  if (data !== undefined) throw new UserError(`--env ${environment} does not take --data.`)
  return { environment }
}

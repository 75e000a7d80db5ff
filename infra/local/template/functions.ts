import { UserError } from '../../command-line/user-error.ts'
import type { ResolvedResource } from './resolved-resources.ts'

export interface LambdaFunction {
  readonly name: string
  /** Its folder in `functions/`, from the description that OperationFunction gives it; undefined for a function of CDK's own. */
  readonly operation: string | undefined
  /** The folder of the deployable bundle. */
  readonly folder: string
  /** Such as `index.handler`: a file without its extension, and what it exports. */
  readonly handler: string
  readonly timeoutMilliseconds: number
  readonly memoryMegabytes: number
  readonly environment: Readonly<Record<string, string>>
}

export interface FunctionProperties {
  readonly Description?: string
  readonly Code: { readonly S3Key: string }
  readonly Handler: string
  readonly Timeout?: number
  readonly MemorySize?: number
  readonly Environment?: { readonly Variables: Readonly<Record<string, string>> }
}

/** @throws UserError when the function has no bundle in the cloud assembly. */
export const readFunction = ({ name, stack, properties }: ResolvedResource<FunctionProperties>): LambdaFunction => {
  // Lambda's own defaults, for a function whose template leaves them out.
  const { Description = '', Code, Handler, Timeout = 3, MemorySize = 128, Environment } = properties
  const folder = stack.assetFolders.get(Code.S3Key)
  if (folder === undefined) throw new UserError(`The cloud assembly has no bundle for the function ${name}.`)
  return {
    name,
    operation: /^Pet Adoption API: (.*)$/.exec(Description)?.[1],
    folder,
    handler: Handler,
    timeoutMilliseconds: Timeout * 1_000,
    memoryMegabytes: MemorySize,
    environment: Environment?.Variables ?? {},
  }
}

import { UserError } from '../../command-line/user-error.ts'
import type { Stack } from '../../synthesis/assembly.ts'
import { asNumber, asObject, asText, asTexts, type JsonObject } from '../../synthesis/json.ts'

export interface LambdaFunction {
  readonly name: string
  /** The folder of the deployable bundle. */
  readonly folder: string
  /** Such as `index.handler`: a file without its extension, and what it exports. */
  readonly handler: string
  readonly timeoutMilliseconds: number
  readonly memoryMegabytes: number
  readonly environment: Readonly<Record<string, string>>
}

/**
 * @param properties with the intrinsic functions resolved.
 * @throws UserError when the function has no bundle in the cloud assembly.
 */
export const readFunction = (name: string, stack: Stack, properties: JsonObject): LambdaFunction => {
  const key = asObject(properties['Code'], `the code of ${name}`)['S3Key']
  const folder = stack.assetFolders.get(asText(key, `the bundle of ${name}`))
  if (folder === undefined) throw new UserError(`The cloud assembly has no bundle for the function ${name}.`)
  const environment = asObject(properties['Environment'] ?? {}, 'Environment')
  return {
    name,
    folder,
    handler: asText(properties['Handler'], `the handler of ${name}`),
    // Lambda's own defaults, for a function whose template leaves them out.
    timeoutMilliseconds: asNumber(properties['Timeout'] ?? 3, 'Timeout') * 1_000,
    memoryMegabytes: asNumber(properties['MemorySize'] ?? 128, 'MemorySize'),
    environment: asTexts(environment['Variables'], `the environment of ${name}`),
  }
}

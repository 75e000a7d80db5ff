import { formatApiKey, randomLength } from '../../../shared/api-keys/api-key.ts'
import { environmentVariables, readApiKeyPrefix, readText } from '../../../shared/environment-variables.ts'
import type { ErrorCode } from '../../../shared/errors/catalogue.ts'

/**
 * Sends a request with a well-formed key that does not exist. Only an API whose name, certificate, gateway, authorizer
 * and keys table work refuses it with `unauthorized`. So the probe needs no secret.
 *
 * @throws Error for any other response, which Lambda counts
 */
export const handler = async (): Promise<void> => {
  const authorization = `Bearer ${formatApiKey(readApiKeyPrefix(), '0'.repeat(randomLength))}`
  const response = await fetch(`${readText(environmentVariables.baseUrl)}/pets`, { headers: { authorization } })
  const body = await response.text()
  if (response.status !== 401 || !body.includes(`"${'unauthorized' satisfies ErrorCode}"`)) {
    throw new Error(`The API responded ${response.status} to the probe: ${body.slice(0, 500)}`)
  }
}

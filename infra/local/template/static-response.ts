import { UserError } from '../../command-line/user-error.ts'
import { asNumber, asTexts, type JsonObject } from '../../synthesis/json.ts'

/** A response that the template itself gives: a gateway response, or that of a MOCK integration. */
export interface StaticResponse {
  readonly status: number | undefined
  readonly headers: Readonly<Record<string, string>>
  readonly body: string | undefined
}

/**
 * @param properties with the intrinsic functions resolved
 * @throws UserError for a header or a body with variables, which only API Gateway itself fills in
 */
export const readStaticResponse = (label: string, properties: JsonObject): StaticResponse => {
  const { StatusCode, ResponseParameters, ResponseTemplates } = properties
  const body = asTexts(ResponseTemplates, 'ResponseTemplates')['application/json']
  if (body !== undefined && /[$#]/.test(body)) {
    throw new UserError(`The local gateway supports no variables in the body of ${label}: leave out $ and #.`)
  }
  const headers = Object.entries(asTexts(ResponseParameters, 'ResponseParameters')).map(([parameter, value]) => {
    const literal = /^'(.*)'$/s.exec(value)?.[1]
    if (literal === undefined) {
      throw new UserError(`The local gateway supports only literals in single quotes as headers of ${label}.`)
    }
    return [parameter.replace(/^(gatewayresponse|method\.response)\.header\./, ''), literal] as const
  })
  return {
    status: StatusCode === undefined ? undefined : asNumber(StatusCode, 'StatusCode'),
    headers: Object.fromEntries(headers),
    body,
  }
}

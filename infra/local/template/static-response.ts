import { UserError } from '../../command-line/user-error.ts'

/** A response that the template itself gives: a gateway response, or that of a MOCK integration. */
export interface StaticResponse {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

export interface StaticProperties {
  readonly StatusCode: string
  readonly ResponseParameters?: Readonly<Record<string, string>>
  readonly ResponseTemplates?: Readonly<Record<string, string>>
}

/** @throws UserError for a header or a body with variables, which only API Gateway itself fills in */
export const readStaticResponse = (
  label: string,
  { StatusCode, ResponseParameters = {}, ResponseTemplates = {} }: StaticProperties,
): StaticResponse => {
  const body = ResponseTemplates['application/json'] ?? ''
  if (/[$#]/.test(body)) {
    throw new UserError(`The local gateway supports no variables in the body of ${label}: leave out $ and #.`)
  }
  const headers = Object.entries(ResponseParameters).map(([parameter, value]) => {
    const literal = /^'(.*)'$/s.exec(value)?.[1]
    if (literal === undefined) {
      throw new UserError(`The local gateway supports only literals in single quotes as headers of ${label}.`)
    }
    return [parameter.replace(/^(gatewayresponse|method\.response)\.header\./, ''), literal] as const
  })
  return { status: Number(StatusCode), headers: Object.fromEntries(headers), body }
}

import { type EnvironmentName, environments } from '../../environments.ts'

/** The Region of an environment, for a client of AWS's SDK. Where infra/environments.ts names none, the SDK finds one. */
export const regionOf = (environment: EnvironmentName): { readonly region?: string } => {
  const { region } = environments[environment]
  return region === undefined ? {} : { region }
}

import { Duration, Stack } from 'aws-cdk-lib'
import {
  ApiKeySourceType,
  AuthorizationType,
  EndpointType,
  LambdaIntegration,
  RequestAuthorizer,
  RestApi,
} from 'aws-cdk-lib/aws-apigateway'
import type { IFunction } from 'aws-cdk-lib/aws-lambda'
import { Construct } from 'constructs'
import type { ContractOperation } from '../contract/contract.ts'
import { addGatewayResponses } from './gateway-responses.ts'
import { addPreflight } from './preflight.ts'

export interface PetAdoptionApiProps {
  readonly operations: readonly ContractOperation[]
  /** The function of each operation. */
  readonly functions: ReadonlyMap<ContractOperation, IFunction>
  /** Answers what is no operation. */
  readonly unknownRoute: IFunction
  readonly authorizer: IFunction
}

const everyMethod = ['DELETE', 'GET', 'HEAD', 'PATCH', 'POST', 'PUT'] as const

/** The REST API: each operation of the contract on its route, and an answer for every other request. */
export class PetAdoptionApi extends Construct {
  readonly restApi: RestApi
  /** Without a slash at its end. */
  readonly baseUrl: string

  constructor(scope: Construct, id: string, props: PetAdoptionApiProps) {
    super(scope, id)
    this.restApi = new RestApi(this, 'RestApi', {
      restApiName: Stack.of(this).stackName,
      description: 'Pet Adoption API',
      endpointTypes: [EndpointType.REGIONAL],
      apiKeySourceType: ApiKeySourceType.AUTHORIZER,
      // Every base URL ends in the version.
      deployOptions: { stageName: 'v1' },
    })
    // CDK's own output of the URL, which has a slash at its end.
    this.restApi.node.tryRemoveChild('Endpoint')
    this.baseUrl = this.restApi.urlForPath().replace(/\/$/, '')
    addGatewayResponses(this.restApi)
    this.#addMethods(props)
  }

  #addMethods({ operations, functions, unknownRoute, authorizer }: PetAdoptionApiProps): void {
    const methodOptions = {
      authorizationType: AuthorizationType.CUSTOM,
      authorizer: new RequestAuthorizer(this, 'Authorizer', {
        handler: authorizer,
        // With an identity source API Gateway answers by itself where it is missing, and with a
        // cache the authorizer would not count every request.
        identitySources: [],
        resultsCacheTtl: Duration.seconds(0),
      }),
      apiKeyRequired: true,
    }
    for (const operation of operations) {
      this.restApi.root
        .resourceForPath(operation.path)
        .addMethod(operation.method, integrationOf(functions.get(operation), operation.name), methodOptions)
    }
    // API Gateway routes on path and method together, so these two also get the known paths with
    // another method. `{proxy+}` never matches the root.
    for (const path of ['/', '/{proxy+}']) {
      this.restApi.root
        .resourceForPath(path)
        .addMethod('ANY', integrationOf(unknownRoute, 'unknown-route'), methodOptions)
    }
    for (const path of resourcePaths(operations)) {
      const methods = operations.filter((operation) => operation.path === path).map(({ method }) => method)
      addPreflight(this.restApi.root.resourceForPath(path), methods.length === 0 ? everyMethod : methods)
    }
  }
}

/** The paths of the operations, all paths above them, and the one that stands for every other. */
const resourcePaths = (operations: readonly ContractOperation[]): ReadonlySet<string> => {
  const above = operations.flatMap(({ path }) => {
    const segments = path.split('/')
    return segments.map((_, count) => segments.slice(0, count + 1).join('/') || '/')
  })
  return new Set(['/', ...above, '/{proxy+}'])
}

const integrationOf = (handler: IFunction | undefined, name: string): LambdaIntegration => {
  if (handler === undefined) throw new Error(`The API was given no function for ${name}.`)
  return new LambdaIntegration(handler, { allowTestInvoke: false })
}
